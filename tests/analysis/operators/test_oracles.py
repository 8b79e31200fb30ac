"""The table against what others make of the same run: torch itself, TraceLens, torch-tb-profiler."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import classic_tables
import pytest
from timeouts import PATIENCE_S

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_grouping import Grouping
from tbprof.analysis.figures.operator_table import OperatorRow, operator_table
from tbprof.trace.columns.tables import ALL_TABLES, NO_TABLES
from tbprof.trace.reading import read_trace
from tbprof.views.steady import us

Key = tuple[Any, ...]
Figures = dict[Key, list[float]]

STACK_DEPTH = 5
"""That of `averaged_training`."""
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
NOT_BY_TORCH = ("_make_grads", "backward")
"""Functions of `autograd/__init__` that `key_averages` leaves out of stacks."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Facts]:
    """What torch says of a training on the CPU, and the trace of the same run."""
    folder = tmp_path_factory.mktemp("recorded")
    script = Path(__file__).with_name("averaged_training.py")
    command = [sys.executable, script, folder / "trace.json", folder / "averages.json"]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    averages = json.loads((folder / "averages.json").read_text(encoding="utf-8"))
    return averages, Facts(read_trace(folder / "trace.json", tables=ALL_TABLES))


def cut(frames: Iterable[str]) -> tuple[str, ...]:
    kept = (
        frame
        for frame in frames
        if not ("autograd/__init__" in frame and any(name in frame for name in NOT_BY_TORCH))
    )
    return tuple(ADDRESS.sub("", frame) for frame in kept)[:STACK_DEPTH]


KEYS: dict[Grouping, tuple[Callable[[dict[str, Any]], Key], Callable[[OperatorRow], Key]]] = {
    "name": (lambda row: (row["name"],), lambda row: (row.name,)),
    "shapes": (
        lambda row: (row["name"], json.dumps(row["shapes"])),
        lambda row: (row.name, json.dumps(json.loads(row.shapes or "[]"))),
    ),
    "stack": (
        lambda row: (row["name"], cut(row["stack"])),
        lambda row: (row.name, cut(row.stack or ())),
    ),
}


@pytest.mark.parametrize("by", KEYS)
def test_operators_are_those_of_key_averages(recorded: tuple[dict[str, Any], Facts], by: Grouping) -> None:
    averages, facts = recorded
    of_torch, of_tbprof = KEYS[by]
    theirs = added((of_torch(row), row["calls"], row["total_us"], row["self_us"]) for row in averages[by])
    rows = operator_table(facts, by).rows
    ours = added((of_tbprof(row), row.calls, us(row.host_total_ns), us(row.host_self_ns)) for row in rows)
    # torch has Python frames beside the operators.
    assert {key for key in theirs if re.match(r"aten::|autograd::|\w+Backward", key[0])} <= set(ours)
    for key, (calls, total_us, self_us) in ours.items():
        assert calls == theirs[key][0], key
        assert (total_us, self_us) == pytest.approx(theirs[key][1:], abs=1), key


def test_flops_of_a_training_are_those_of_torchs_counter(recorded: tuple[dict[str, Any], Facts]) -> None:
    averages, facts = recorded
    ours = {row.name: row.limit.flops for row in operator_table(facts, "name").rows if row.limit is not None}
    counted = {name: 2 * count for name, count in averages["flops"].items()}
    assert counted.keys() == {"aten::convolution", "aten::addmm", "aten::convolution_backward", "aten::mm"}
    assert {name: ours[name] for name in counted} == counted


def added(rows: Iterable[tuple[Key, float, float, float]]) -> Figures:
    figures: Figures = defaultdict(lambda: [0, 0, 0])
    for key, *values in rows:
        figures[key] = [old + new for old, new in zip(figures[key], values, strict=True)]
    return figures


PEERS = (
    "h100_bert_small_infer",
    "mi300_bert_small_infer",
    pytest.param("h100_qwen_infer", marks=pytest.mark.exhaustive),
    pytest.param("h100_timesformer_infer", marks=pytest.mark.exhaustive),
    pytest.param("h100_owlv2_infer", marks=pytest.mark.exhaustive),
)


@pytest.mark.parametrize("name", PEERS)
def test_device_time_is_that_of_tracelens_by_operator_and_by_arguments(traces: Path, name: str) -> None:
    """Its rows are operators that launch work themselves; it adds up float32 times, hence the tolerance."""
    folder = traces / name
    facts = Facts(read_trace(next(folder.glob("*.json.gz")), tables=ALL_TABLES))
    by_name = {(row.name,): row.device_self_ns for row in operator_table(facts, "name").rows}
    theirs = summed(folder / "peer_figures/ops_summary.csv", ("name",))
    assert {key: by_name[key] for key in theirs} == pytest.approx(theirs, rel=1e-3)
    rest = {key: ns for key, ns in by_name.items() if key not in theirs}
    assert set(rest.values()) <= {0}
    by_shapes = {
        (row.name, shown(json.loads(row.shapes or "[]"))): row.device_self_ns
        for row in operator_table(facts, "shapes").rows
    }
    theirs = summed(folder / "peer_figures/ops_unique_args.csv", ("name", "Input Dims"))
    assert {key: by_shapes[key] for key in theirs} == pytest.approx(theirs, rel=1e-3)


def summed(path: Path, keys: tuple[str, ...]) -> dict[Key, float]:
    """In ns."""
    found: dict[Key, float] = defaultdict(float)
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = tuple(row[name] if name == "name" else shown(ast.literal_eval(row[name])) for name in keys)
            found[key] += 1000 * float(row["total_direct_kernel_time_sum"])
    return found


def shown(shapes: Any) -> str:
    """Alike for lists and tuples."""
    return json.dumps(shapes)


@pytest.mark.parametrize("name", classic_tables.NAMES)
def test_all_rows_are_those_of_torch_tb_profilers_own_tests(traces: Path, name: str) -> None:
    rows = operator_table(Facts(read_trace(classic_tables.trace_of(traces, name))), "name").rows
    assert {
        row.name: (
            row.calls,
            *map(
                us, (row.device_self_ns or 0, row.device_total_ns or 0, row.host_self_ns, row.host_total_ns)
            ),
            row.is_eligible,
            (row.tensor_total_ns or 0) / max(row.device_total_ns or 0, 1),
        )
        for row in rows
    } == classic_tables.operators(name)


SMALL_BYTES = 200_000


def trace_files() -> Iterator[Any]:
    folder = os.environ.get("TBPROF_TRACES")
    for path in sorted(Path(folder).rglob("*.gz")) if folder else ():
        if "malformed" not in path.parts and "straggler_what_if" not in path.parts:
            marks = () if path.stat().st_size < SMALL_BYTES else pytest.mark.exhaustive
            yield pytest.param(path, id=f"{path.parent.name}/{path.name[:24]}", marks=marks)


@pytest.mark.parametrize("path", [*trace_files()])
def test_operators_and_what_none_of_them_launched_are_all_of_the_device(path: Path) -> None:
    facts = Facts(read_trace(path, tables=NO_TABLES))
    work = facts.work
    for in_steps in (False, True):
        table = operator_table(facts, "name", in_steps=in_steps)
        if not work.devices:
            assert table.device_ns is None
            continue
        own = sum(row.device_self_ns or 0 for row in table.rows)
        assert table.without_operator_ns is not None
        assert own + table.without_operator_ns == table.device_ns
        if not in_steps:
            assert table.device_ns == int((work.end_ns - work.start_ns).sum())
