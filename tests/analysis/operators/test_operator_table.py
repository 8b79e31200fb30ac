"""What operators cost, by hand-made traces; the first ones are cases of torch-tb-profiler's own tests."""

from __future__ import annotations

import pytest
from operator_scenes import facts_of, rows_of
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.operator_table import operator_table
from tbprof.trace.columns.columns import Trace

ERAS = ("2021", "2022", "2023", "2024+")
BACKWARD = 200


@pytest.mark.parametrize("era", ERAS)
def test_own_and_total_device_time_follow_the_launches_whatever_the_external_ids_say(era: str) -> None:
    built = TraceBuilder(era=era)
    built.op("aten::mat_mul", 100, 200)
    built.launch(100, 100, runs=(210, 215))
    built.op("aten::mm", 120, 180)
    built.launch(120, 120, runs=(215, 221))
    built.launch(180, 180, runs=(222, 228))
    built.launch(200, 200, runs=(230, 239))
    rows = rows_of(built)
    assert (rows["aten::mat_mul"].device_self_ns, rows["aten::mat_mul"].device_total_ns) == (14_000, 26_000)
    assert (rows["aten::mm"].device_self_ns, rows["aten::mm"].device_total_ns) == (12_000, 12_000)
    assert (rows["aten::mat_mul"].launches, rows["aten::mm"].launches) == (2, 2)


def test_work_that_no_operator_launched_is_told_apart() -> None:
    built = TraceBuilder()
    built.launch(10, 20, runs=(30, 38))
    built.op("aten::mm", 40, 60)
    built.launch(45, 50, runs=(70, 75))
    built.kernel(80, 82, correlation=9)
    table = operator_table(facts_of(built), "name")
    assert (table.device_ns, table.without_operator_ns) == (15_000, 10_000)
    assert [row.share for row in table.rows] == [pytest.approx(1 / 3)]


def test_a_call_that_starts_a_graph_is_one_launch_of_many_kernels() -> None:
    built = TraceBuilder()
    built.op("CompiledFunction", 0, 100)
    built.graph_launch(10, 20, runs=[(30, 40), (45, 47), (50, 51)])
    row = rows_of(built)["CompiledFunction"]
    assert (row.launches, row.device_self_ns) == (1, 13_000)


def test_copies_and_waits_count_for_the_operator_and_those_around_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::item", 100, 400)
    built.op("aten::_local_scalar_dense", 110, 390)
    built.copy("DtoH", "pageable", 120, 300, runs=(250, 300))
    built.synchronize("cudaStreamSynchronize", 301, 311)
    rows = rows_of(built)
    for name in ("aten::item", "aten::_local_scalar_dense"):
        assert (rows[name].wait_ns, rows[name].device_total_ns) == (190_000, 50_000)
    # The device works for 50 us of the 300 us.
    assert rows["aten::item"].idle_ns == 250_000


def test_the_backward_pass_is_on_its_own_thread() -> None:
    built = TraceBuilder()
    built.op("aten::linear", 0, 100)
    built.op("AddmmBackward0", 50, 90, thread=BACKWARD)
    built.launch(60, 70, runs=(200, 220), thread=BACKWARD)
    rows = rows_of(built)
    assert (rows["AddmmBackward0"].device_self_ns, rows["aten::linear"].device_total_ns) == (20_000, 0)


def test_tensor_cores_are_used_by_kernels_and_possible_for_operators() -> None:
    built = TraceBuilder()
    built.op("aten::linear", 0, 50)
    built.op("aten::addmm", 5, 45)
    built.launch(10, 12, runs=(20, 30), name="ampere_fp16_s16816gemm_fp16_64x64_tn")
    built.launch(20, 22, runs=(30, 60), name="splitKreduce_kernel")
    built.op("aten::relu", 60, 70)
    rows = rows_of(built)
    assert (rows["aten::addmm"].tensor_self_ns, rows["aten::linear"].tensor_total_ns) == (10_000, 10_000)
    assert [rows[name].is_eligible for name in ("aten::linear", "aten::addmm", "aten::relu")] == [
        True,
        True,
        False,
    ]


def test_mean_median_and_p90_are_of_single_calls() -> None:
    built = TraceBuilder()
    for at in range(11):
        built.op("aten::mm", 100 * at, 100 * at + 50)
        built.launch(100 * at + 1, 100 * at + 2, runs=(100 * at + 10, 100 * at + 11 + at))
    row = rows_of(built)["aten::mm"]
    assert row.device is not None
    assert (row.device.mean_ns, row.device.median_ns, row.device.p90_ns) == (6_000, 6_000, 10_000)
    assert (row.host.mean_ns, row.host.median_ns) == (50_000, 50_000)


def test_the_steps_hold_what_begins_in_them_with_the_work_it_launched() -> None:
    built = TraceBuilder()
    built.op("aten::randn", 0, 40)
    built.launch(10, 12, runs=(20, 25))
    built.step(1, 50, 100)
    built.op("aten::mm", 90, 120)
    built.launch(110, 112, runs=(130, 137))
    built.launch(150, 152, runs=(160, 163))
    whole, steps = (operator_table(facts_of(built), "name", in_steps=one) for one in (False, True))
    assert {row.name for row in whole.rows} == {"aten::randn", "aten::mm"}
    assert (whole.device_ns, whole.without_operator_ns) == (15_000, 3_000)
    assert {row.name for row in steps.rows} == {"aten::mm"}
    assert (steps.device_ns, steps.without_operator_ns) == (7_000, 0)


def test_without_a_device_its_figures_are_not_known_and_the_host_decides() -> None:
    built = TraceBuilder()
    built.op("aten::relu", 0, 10)
    built.op("aten::mm", 20, 50)
    table = operator_table(facts_of(built), "name")
    assert [row.name for row in table.rows] == ["aten::mm", "aten::relu"]
    assert [row.share for row in table.rows] == [0.75, 0.25]
    row = table.rows[0]
    figures = (row.device_self_ns, row.device_total_ns, row.device, row.launches, row.idle_ns, row.wait_ns)
    assert set(figures) == {None}
    assert table.device_ns is None


def test_a_trace_without_operators_has_no_rows() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    table = operator_table(facts_of(built), "name")
    assert (table.rows, table.device_ns, table.without_operator_ns) == ((), 1_000, 1_000)
    assert operator_table(Facts(Trace.empty()), "name").rows == ()
