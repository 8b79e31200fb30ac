"""Several processes read a file as one does: the same columns, and the same words for what is wrong."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trace_samples import a_step, classic, dumped, write

from tbprof.errors import NotATrace
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import ALL_TABLES, NO_TABLES, Tables
from tbprof.trace.importers.kineto import file_slice, parallel_reader
from tbprof.trace.importers.kineto.file_slice import FileSlice, NotWhole, read_slice
from tbprof.trace.importers.kineto.parallel_reader import read_trace_in_parallel
from tbprof.trace.importers.kineto.reader import read_trace
from tbprof.trace.importers.kineto.rows import join_rows


def many_steps(count: int) -> list[dict[str, Any]]:
    """Steps of which each brings a name and a thread that no other has."""
    return [
        {
            **event,
            "ts": event["ts"] + 1000 * step,
            "tid": step if event["name"] == "aten::add" else event["tid"],
        }
        for step in range(count)
        for event in [*a_step(), {**a_step()[0], "name": f"label {step}"}]
    ]


def columns_of(record: Any, name: str = "trace") -> Iterator[tuple[str, Any]]:
    """Every array and plain value of a trace, by name."""
    for field in record.__dataclass_fields__:
        value = getattr(record, field)
        if hasattr(value, "__dataclass_fields__"):
            yield from columns_of(value, f"{name}.{field}")
        else:
            yield f"{name}.{field}", value


def assert_same(found: Trace, expected: Trace) -> None:
    for (name, one), (_, other) in zip(columns_of(found), columns_of(expected), strict=True):
        if isinstance(one, np.ndarray):
            assert one.dtype == other.dtype, name
            np.testing.assert_array_equal(one, other, name)
        else:
            assert one == other, name


three_processes = pytest.mark.usefixtures("_three_processes")


@pytest.fixture
def _three_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with three cores, for files of any size."""
    monkeypatch.setattr(parallel_reader, "WORTH_SHARING_BYTES", 1)
    monkeypatch.setattr(parallel_reader, "cores", lambda: 3)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    count=st.integers(1, 6),
    chunk_bytes=st.integers(4096, 32768),
    layout=st.sampled_from(["classic", "minified", "indented"]),
    packed=st.booleans(),
)
def test_the_stretches_of_a_file_are_the_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    chunk_bytes: int,
    layout: str,
    packed: bool,
) -> None:
    # So many that the last stretch, the shortest, is longer than a chunk.
    events = many_steps(300)
    layouts = {"minified": {"separators": (",", ":")}, "indented": {"indent": 2}}
    content = classic(events) if layout == "classic" else dumped(events, **layouts[layout])
    path = write(tmp_path, content, packed=packed)
    monkeypatch.setattr(file_slice, "CHUNK_BYTES", chunk_bytes)

    pieces = [read_slice(str(path), FileSlice(index, count)) for index in range(count)]

    assert [piece.start for piece in pieces[1:]] == [piece.end for piece in pieces[:-1]]
    joined, expected = join_rows([piece.rows for piece in pieces]), read_trace(path)
    assert (joined.names, joined.lanes, joined.num_events) == (
        expected.names,
        expected.lanes,
        expected.num_events,
    )
    np.testing.assert_array_equal(joined.slices.name, expected.slices.name)
    np.testing.assert_array_equal(joined.slices.start_ns, expected.slices.start_ns)


@pytest.mark.parametrize(
    "name",
    [
        "h100_bert_small_infer/h100_bert_small.json.gz",
        "hta_nccl_ddp/nccl_data.json.gz",
        "h100_owlv2_infer/h100_owlv2.json.gz",
    ],
)
@pytest.mark.parametrize("tables", [NO_TABLES, ALL_TABLES], ids=["few", "all"])
@three_processes
def test_processes_read_a_real_trace_as_one_does(
    traces: Path, monkeypatch: pytest.MonkeyPatch, name: str, tables: Tables
) -> None:
    expected = read_trace(traces / name, tables=tables)
    monkeypatch.setattr(parallel_reader, "read_trace", lambda *_, **__: pytest.fail("read by one process"))

    assert_same(read_trace_in_parallel(traces / name, tables=tables), expected)


@three_processes
def test_progress_reaches_the_end(tmp_path: Path) -> None:
    path = write(tmp_path, classic(many_steps(4000)))
    seen: list[tuple[int, int]] = []

    read_trace_in_parallel(path, progress=lambda read, total: seen.append((read, total)))

    assert len(seen) > 1
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {path.stat().st_size}
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


DAMAGES = {
    "an event without an end": lambda json: json.replace(b'"dur": 900.5', b'"dur": 900.', 1),
    "an array that never closes": lambda json: json[: len(json) * 3 // 4],
    "a control character": lambda json: json.replace(b"aten::mul", b"aten\x07:mul", 1),
    "no events in its second half": lambda json: json[: len(json) // 2] + b" " * (len(json) // 2),
}


@pytest.mark.parametrize("damage", DAMAGES)
@three_processes
def test_what_is_damaged_is_read_by_one_process(tmp_path: Path, damage: str) -> None:
    path = write(tmp_path, DAMAGES[damage](classic(many_steps(2000))))

    trace = read_trace_in_parallel(path)

    assert trace.health
    assert_same(trace, read_trace(path))


@three_processes
def test_a_packed_file_that_breaks_off(tmp_path: Path) -> None:
    packed = gzip.compress(classic(many_steps(2000)))
    path = write(tmp_path, packed[: len(packed) * 2 // 3])

    assert_same(read_trace_in_parallel(path), read_trace(path))


@three_processes
def test_what_is_no_trace_is_refused_in_the_same_words(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"a": [1, 2]}')

    with pytest.raises(NotATrace, match="traceEvents"):
        read_trace_in_parallel(path)


@three_processes
def test_a_process_that_dies_costs_time_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, classic(many_steps(50)))
    monkeypatch.setattr(sys, "executable", os.devnull)

    assert_same(read_trace_in_parallel(path), read_trace(path))


@three_processes
def test_a_file_that_is_replaced_meanwhile_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, classic(many_steps(4000)))
    other = write(tmp_path, classic(many_steps(10)), "other.json")

    def replace(*_: int) -> None:
        if other.exists():
            other.replace(path)

    assert_same(read_trace_in_parallel(path, progress=replace), read_trace(path))


@three_processes
def test_modules_of_the_working_folder_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, classic(many_steps(50)))
    write(tmp_path, b"raise SystemExit('not this one')", "numpy.py")
    monkeypatch.chdir(tmp_path)
    expected = read_trace(path.name)
    monkeypatch.setattr(parallel_reader, "read_trace", lambda *_, **__: pytest.fail("read by one process"))

    assert_same(read_trace_in_parallel(path.name), expected)


def test_a_stretch_of_a_damaged_file_says_so(tmp_path: Path) -> None:
    path = write(tmp_path, classic(many_steps(20)).replace(b'"dur": 900.5', b'"dur": 900.', 1))

    with pytest.raises(NotWhole):
        read_slice(str(path), FileSlice(0, 1))
