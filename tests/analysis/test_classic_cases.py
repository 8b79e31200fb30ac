"""Operators, kernels and modules of torch-tb-profiler's own test cases, against what it shows of them.

Its tests assert some of what it shows; here every figure of every row is held against it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from classic_plugin import shown
from torch_tb_profiler.profiler.module_op import aggegate_module_view

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.gpu_use import gpu_use
from tbprof.analysis.figures.kernel_table import kernel_table
from tbprof.analysis.figures.module_table import module_table
from tbprof.analysis.figures.operator_table import OperatorRow, operator_table
from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.importers.kineto.reader import read_trace
from tbprof.views.steady import us

# The plugin's own use of pandas is out of date.
pytestmark = pytest.mark.filterwarnings("ignore")

CASES: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "classic_cases.json").read_text(encoding="utf-8")
)

AT_THE_EDGE = "calls of no length at the start or the end of an operator: by time they lie in it"
OTHER_THREAD = (
    "the call is on another thread than the operator, as in no recording: by time it is no operator's"
)
OF_ITSELF = {
    ("external_id", "aten::mat_mul"): (AT_THE_EDGE, 0),
    ("external_id", "aten::mm"): (AT_THE_EDGE, 26),
    ("gpu_utilization", "aten::mat_mul"): (AT_THE_EDGE, 20),
    ("gpu_utilization", "aten::mm"): (AT_THE_EDGE, 50),
    ("group_by_kernel_columns", "op1"): (OTHER_THREAD, 0),
    ("group_by_kernel_columns_invalid_input", "op1"): (OTHER_THREAD, 0),
    ("memory_view", "aten::nll_loss_backward"): (OTHER_THREAD, 0),
}
"""By case and operator, whose figures differ: why, and its own device time here, in us."""
WHOLE_PERCENT = ("gpu_utilization", "gpu_utilization_kernel_out_of_step")
"""Cases whose occupancies are parts of a percent; Kineto writes whole ones, and as such they are read."""


def facts_of(case: str, folder: Path) -> Facts:
    path = folder / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": CASES[case]}), encoding="utf-8")
    return Facts(read_trace(path, tables=ALL_TABLES))


def shown_of_case(case: str) -> Any:
    return shown({"schemaVersion": 1, "traceEvents": json.loads(json.dumps(CASES[case]))})


def figures(row: OperatorRow) -> tuple[Any, ...]:
    times = (row.host_self_ns, row.host_total_ns, row.device_self_ns or 0, row.device_total_ns or 0)
    used = (row.tensor_total_ns or 0) / max(row.device_total_ns or 0, 1)
    return (row.calls, *map(us, times), row.is_eligible, used)


@pytest.mark.parametrize("case", CASES)
def test_operators_by_name_and_shapes(case: str, tmp_path: Path) -> None:
    theirs = {
        (row.name, row.input_shape.replace(" ", "")): (
            row.calls,
            row.self_host_duration,
            row.host_duration,
            row.self_device_duration,
            row.device_duration,
            row.tc_eligible,
            row.tc_total_ratio,
        )
        for row in shown_of_case(case).op_list_groupby_name_input or ()
    }
    ours = {
        (row.name, row.shapes or "[]"): figures(row)
        for row in operator_table(facts_of(case, tmp_path), "shapes").rows
    }
    assert ours.keys() == theirs.keys()
    differing = {(case, key[0]) for key in ours if ours[key] != pytest.approx(theirs[key])}
    assert differing == {key for key in OF_ITSELF if key[0] == case}
    for (name, _), found in ours.items():
        if (case, name) in OF_ITSELF:
            assert found[3] == OF_ITSELF[case, name][1]


@pytest.mark.parametrize("case", CASES)
def test_kernels(case: str, tmp_path: Path) -> None:
    table = shown_of_case(case).kernel_stat
    theirs = {} if table is None else table.to_dict("index")
    rows = kernel_table(facts_of(case, tmp_path)).rows
    assert {
        row.name: (row.calls, *map(us, (row.total_ns, row.min_ns, row.max_ns)), row.tensor_cores)
        for row in rows
    } == {
        name: (row["count"], row["sum"], row["min"], row["max"], row["tc_used"])
        for name, row in theirs.items()
    }
    for row in rows:
        assert (row.blocks_per_sm or 0.0) == pytest.approx(theirs[row.name]["blocks_per_sm"])
        if case not in WHOLE_PERCENT:
            assert (row.occupancy_percent or 0.0) == pytest.approx(theirs[row.name]["occupancy"])


@pytest.mark.parametrize("case", CASES)
def test_use_of_each_gpu(case: str, tmp_path: Path) -> None:
    theirs = shown_of_case(case).gpu_metrics_parser
    ours = gpu_use(facts_of(case, tmp_path))
    assert {use.device: (use.utilization, use.sm_efficiency) for use in ours} == {
        gpu: pytest.approx(
            (theirs.gpu_utilization[gpu], theirs.avg_approximated_sm_efficiency_per_device[gpu])
        )
        for gpu in theirs.gpu_ids
    }
    if case not in WHOLE_PERCENT:
        found = {use.device: use.occupancy and use.occupancy * 100 for use in ours}
        assert found == pytest.approx({gpu: theirs.avg_occupancy_per_device[gpu] for gpu in theirs.gpu_ids})


def test_modules(tmp_path: Path) -> None:
    case = "build_module_hierarchy"
    profile = shown_of_case(case)
    theirs = {}
    for stats in aggegate_module_view(profile.tid2tree, profile.events):
        theirs[(stats.name,)] = (stats.occurences, stats.self_host_duration, stats.host_duration)
        for inner in stats.children:
            theirs[stats.name, inner.name] = (inner.occurences, inner.host_duration, inner.host_duration)
    rows = module_table(facts_of(case, tmp_path), None).rows
    assert {
        row.path: (row.own.calls, us(row.own.host_ns), us(row.total.host_ns))
        for row in rows
        if row.kind == "module"
    } == theirs
