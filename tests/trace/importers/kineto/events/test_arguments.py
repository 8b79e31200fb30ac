"""Every argument that few rows have is kept for those that have it, and for no other."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trace_samples import cells_of, classic, complete, dumped, write

from tbprof.trace.columns.arrays import SparseColumn
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import ALL_TABLES, ARGUMENT_TABLES, Tables
from tbprof.trace.importers.kineto.events.category_args import TEXTS
from tbprof.trace.importers.kineto.reader import read_trace

OP = {
    "Concrete Inputs": ["", "1"],
    "Input type": ["float", "Scalar"],
    "Input Dims": [[2, 3], []],
    "Collective name": "allreduce",
    "In msg nelems": 6563840,
    "Out msg nelems": 6563841,
    "Group size": 2,
    "dtype": "Float",
    "Process Group Name": "0",
    "Process Group Ranks": "[0, 1]",
    "Seq": 12,
    "Src Rank": 0,
    "Dst Rank": 1,
}
KERNEL = {
    "device": 3,
    "stream": 7,
    "registers per thread": 230,
    "shared memory": 147456,
    "blocks per SM": 1.5,
    "warps per SM": 14.25,
    "grid": [16, 15, 1],
    "block": [256, 1, 1],
    "est. achieved occupancy %": 63,
}
SYNC = {"cuda_sync_kind": "Stream Wait Event", "wait_on_stream": 27, "stream": 4294967295, "device": 0}


def read(folder: Path, *events: dict[str, Any]) -> Trace:
    path = write(folder, classic([complete("first", 1, 1, "overhead"), *events]))
    return read_trace(path, tables=ALL_TABLES)


def column_of(trace: Trace, name: str) -> Any:
    """A column of arguments, in whichever table it stands."""
    tables = [trace, *(getattr(trace, table) for table in ARGUMENT_TABLES)]
    return next(getattr(table, name) for table in tables if hasattr(table, name))


def texts_of(trace: Trace, column: SparseColumn) -> dict[int, str]:
    """Row to text of a column that holds names."""
    return {row: trace.names[name] for row, name in cells_of(column).items()}


def test_an_op(tmp_path: Path) -> None:
    trace = read(tmp_path, complete("aten::add", 2, 1, **OP), complete("aten::mul", 3, 1))

    assert texts_of(trace, trace.concrete_inputs) == {1: '["","1"]'}
    assert texts_of(trace, trace.input_types) == {1: '["float","Scalar"]'}
    assert texts_of(trace, trace.input_shapes) == {1: "[[2,3],[]]"}


def test_a_collective(tmp_path: Path) -> None:
    trace = read(tmp_path, complete("aten::mul", 2, 1), complete("record_param_comms", 3, 1, **OP))

    assert texts_of(trace, trace.collective_name) == {2: "allreduce"}
    assert texts_of(trace, column_of(trace, "collective_dtype")) == {2: "Float"}
    assert texts_of(trace, column_of(trace, "process_group")) == {2: "0"}
    assert texts_of(trace, column_of(trace, "process_group_ranks")) == {2: "[0, 1]"}
    assert cells_of(column_of(trace, "group_size")) == {2: 2}
    assert cells_of(column_of(trace, "in_message_elements")) == {2: 6563840}
    assert cells_of(column_of(trace, "out_message_elements")) == {2: 6563841}
    assert cells_of(column_of(trace, "sequence_number")) == {2: 12}
    assert cells_of(column_of(trace, "source_rank")) == {2: 0}
    assert cells_of(column_of(trace, "destination_rank")) == {2: 1}


def test_a_kernel(tmp_path: Path) -> None:
    trace = read(tmp_path, complete("gemm", 2, 1, "kernel", **KERNEL))

    assert cells_of(trace.device) == {1: 3}
    assert cells_of(trace.stream) == {1: 7}
    assert cells_of(column_of(trace, "registers_per_thread")) == {1: 230}
    assert cells_of(column_of(trace, "shared_memory_bytes")) == {1: 147456}
    assert cells_of(column_of(trace, "occupancy_percent")) == {1: 63}
    assert texts_of(trace, column_of(trace, "grid")) == {1: "[16,15,1]"}
    assert texts_of(trace, column_of(trace, "block")) == {1: "[256,1,1]"}
    assert cells_of(trace.blocks_per_sm) == {1: 1.5}
    assert cells_of(column_of(trace, "warps_per_sm")) == {1: 14.25}


def test_a_record_of_a_synchronization_that_names_no_stream_of_its_own(tmp_path: Path) -> None:
    trace = read(tmp_path, complete("Stream Wait Event", 2, 1, "cuda_sync", **SYNC))

    assert texts_of(trace, trace.sync_kind) == {1: "Stream Wait Event"}
    assert cells_of(trace.awaited_stream) == {1: 27}
    assert cells_of(trace.awaited_record) == {}
    assert cells_of(trace.stream) == {}


def test_python_frames(tmp_path: Path) -> None:
    root = {"Python id": 1, "Python parent id": None}
    module = {"Python id": 2, "Python parent id": 1, "Python module id": 0}

    trace = read(
        tmp_path,
        complete("train.py(1): <module>", 2, 9, "python_function", **root),
        complete("nn.Module: Net_0", 3, 1, "python_function", **module),
    )

    assert cells_of(column_of(trace, "python_module")) == {2: 0}


def test_allocations_are_a_table_of_their_own(tmp_path: Path) -> None:
    args = {
        "Total Reserved": 121634816,
        "Total Allocated": 91360768,
        "Bytes": -8607232,
        "Addr": 128184272027648,
        "Device Id": 0,
        "Device Type": 1,
    }
    instant = {"ph": "i", "name": "[memory]", "pid": 1, "tid": 9, "ts": 4001.125, "args": args}
    bare = {**instant, "ts": 4002.0, "args": {"Bytes": 64, "Device Type": 0, "Device Id": -1}}

    memory = (trace := read(tmp_path, instant, bare, {**instant, "name": "another"})).memory

    assert memory is not None
    assert memory.time_ns.tolist() == [4001125, 4002000]
    assert [trace.lanes[lane].thread for lane in memory.lane.tolist()] == ["9", "9"]
    assert memory.bytes.tolist() == [-8607232, 64]
    assert memory.total_allocated_bytes.tolist() == [91360768, -1]
    assert memory.total_reserved_bytes.tolist() == [121634816, -1]
    assert memory.address.tolist() == [128184272027648, -1]
    assert memory.device_type.tolist() == [1, 0]
    assert memory.device.tolist() == [0, -1]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_layout_of_lists_does_not_matter(tmp_path: Path, indent: int | None) -> None:
    events = [complete("aten::add", 2, 1, **OP), complete("gemm", 3, 1, "kernel", **KERNEL)]

    trace = read_trace(write(tmp_path, dumped(events, indent=indent)), tables=ALL_TABLES)

    assert texts_of(trace, trace.input_shapes) == {0: "[[2,3],[]]"}
    assert texts_of(trace, column_of(trace, "grid")) == {1: "[16,15,1]"}


def test_an_event_whose_text_was_put_right_keeps_its_arguments(tmp_path: Path) -> None:
    events = [
        complete("a\tb", 2, 1, **OP),
        complete("gemm", 3, 1, "kernel", **{**KERNEL, "queued": "\ud800"}),
    ]

    trace = read_trace(write(tmp_path, classic(events).replace(b"\\t", b"\t")), tables=ALL_TABLES)

    assert texts_of(trace, trace.concrete_inputs) == {0: '["","1"]'}
    assert texts_of(trace, column_of(trace, "block")) == {1: "[256,1,1]"}
    assert cells_of(trace.blocks_per_sm) == {1: 1.5}


def test_an_argument_whose_characters_are_damaged_is_put_right(tmp_path: Path) -> None:
    content = classic([complete("gemm", 3, 1, "kernel", **{**KERNEL, "grid": ["a~b", "c~"]})])

    damaged = content.replace(b"a~b", b"a\xceb").replace(b"c~", b"c\x01")
    trace = read_trace(write(tmp_path, damaged), tables=ALL_TABLES)

    assert texts_of(trace, column_of(trace, "grid")) == {0: '["a\ufffdb","c "]'}


Read = Callable[[Any], Any]


def compact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


FIELDS: dict[str, tuple[str, tuple[Category, ...], Read]] = {
    # column: key, categories, the value as the column says it
    "input_shapes": ("Input Dims", (Category.CPU_OP, Category.USER_ANNOTATION), compact),
    "concrete_inputs": ("Concrete Inputs", (Category.CPU_OP, Category.USER_ANNOTATION), compact),
    "python_module": ("Python module id", (Category.PYTHON,), int),
    "registers_per_thread": ("registers per thread", (Category.KERNEL,), int),
    "grid": ("grid", (Category.KERNEL,), compact),
    "kernel_file": ("kernel_file", (Category.CPU_OP,), compact),
    "awaited_record": ("wait_on_cuda_event_record_corr_id", (Category.SYNC,), int),
    "process_group_ranks": ("Process Group Ranks", (Category.CPU_OP, Category.KERNEL), compact),
}
REAL = [
    "h100_bert_small_infer/h100_bert_small.json.gz",
    "hta_critical_path/alexnet.json.gz",
    "hta_degenerate/torch_compile_triton_mi300.json.gz",
    "hta_nccl_ddp/nccl_data.json.gz",
    "hta_trace_diff/control.json.gz",
]


@pytest.mark.parametrize("name", REAL)
def test_real_arguments_are_those_that_the_standard_library_reads(traces: Path, name: str) -> None:
    document = json.loads(gzip.decompress((traces / name).read_bytes()))
    rows = [event.get("args") or {} for event in document["traceEvents"] if event["ph"] == "X"]

    trace = read_trace(traces / name, tables=ALL_TABLES)

    category = trace.slices.category.tolist()
    for column, (key, categories, say) in FIELDS.items():
        expected = {
            row: say(args[key])
            for row, args in enumerate(rows)
            if category[row] in categories and args.get(key) not in (None, "", -1)
        }
        assert values_of_column(trace, column) == expected, column
    instants = [event["args"] for event in document["traceEvents"] if event["name"] == "[memory]"]
    assert trace.memory is not None
    assert trace.memory.bytes.tolist() == [args["Bytes"] for args in instants]
    assert trace.memory.address.tolist() == [args["Addr"] for args in instants]


def values_of_column(trace: Trace, column: str) -> dict[int, Any]:
    cells = column_of(trace, column)
    found = dict(zip(cells.rows.tolist(), cells.values.tolist(), strict=True))
    is_text = FIELDS[column][2] is compact
    return {row: trace.names[value] if is_text else value for row, value in found.items()}


@pytest.mark.parametrize("wanted", [frozenset(), *(frozenset((table,)) for table in sorted(ALL_TABLES))])
@pytest.mark.parametrize("name", REAL)
def test_a_table_is_read_for_who_wants_it_and_no_other(traces: Path, name: str, wanted: Tables) -> None:
    everything = read_trace(traces / name, tables=ALL_TABLES)

    trace = read_trace(traces / name, tables=wanted)

    assert {table for table in ALL_TABLES if getattr(trace, table) is not None} == wanted
    assert trace.health == everything.health
    for table in ("slices", *wanted):
        assert plain(trace, getattr(trace, table)) == plain(everything, getattr(everything, table))
    sparse = [column.name for column in fields(Trace) if column.type in ("SparseColumn", "SparseFloats")]
    for column in sparse:
        cells = getattr(trace, column)
        assert plain(trace, cells, column) == plain(everything, getattr(everything, column), column)


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
def test_no_argument_is_missed_where_the_kinds_of_rows_change(traces: Path, name: str) -> None:
    whole = read_trace(traces / name, tables=ALL_TABLES, chunk_bytes=1 << 27)

    in_chunks = read_trace(traces / name, tables=ALL_TABLES, chunk_bytes=4096)

    assert plain(in_chunks, in_chunks) == plain(whole, whole)


@pytest.mark.parametrize("length", [1, 40, 400])
def test_the_first_row_of_another_kind_keeps_its_arguments(tmp_path: Path, length: int) -> None:
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("cpu_op", {"Sequence number": 4}),
        ("python_function", {"Python module id": 3}),
        ("cuda_runtime", {"correlation": 5}),
        ("kernel", KERNEL),
        ("cpu_op", OP),
        ("kernel", KERNEL | {"Collective name": "allreduce", "Seq": 3}),
    ]
    rows = [complete(category, 1, 1, category, **args) for category, args in kinds for _ in range(length)]
    path = write(tmp_path, classic(rows * 4))

    in_chunks = read_trace(path, tables=ALL_TABLES, chunk_bytes=2048)

    whole = read_trace(path, tables=ALL_TABLES, chunk_bytes=1 << 27)
    assert plain(in_chunks, in_chunks) == plain(whole, whole)
    assert len(column_of(in_chunks, "python_module").rows) == 4 * length
    assert len(column_of(in_chunks, "sequence_number").rows) == 8 * length


def plain(trace: Trace, record: Any, path: str = "") -> dict[str, Any]:
    """A record of arrays as lists; what the trace numbers is called by its name."""
    found: dict[str, Any] = {}
    for member in fields(record):
        value = getattr(record, member.name)
        if is_dataclass(value):
            found[member.name] = plain(trace, value, member.name)
        elif member.name == "lane":
            found[member.name] = [trace.lanes[lane] for lane in value.tolist()]
        elif member.name == "name" or (member.name == "values" and path in TEXTS):
            found[member.name] = [trace.names[name] for name in value.tolist()]
        elif isinstance(value, np.ndarray):
            found[member.name] = value.tolist()
    return found
