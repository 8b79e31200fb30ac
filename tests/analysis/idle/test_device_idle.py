"""Idle of the device within the steps, split by whether anything was queued."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.model import Idle


def idle_of(built: TraceBuilder) -> Idle:
    idle = built.report().idle
    assert idle is not None
    return idle


def test_idle_is_the_step_without_the_union_of_all_streams() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.kernel(100, 300, stream=7, correlation=1)
    built.kernel(200, 400, stream=20, correlation=2)
    built.kernel(400, 500, stream=7, correlation=3)
    assert idle_of(built).total.device_ns == 600_000


def test_idle_is_queued_while_something_launched_has_not_started() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(10, 15, runs=(20, 40))
    built.launch(30, 35, runs=(60, 100))

    # Idle: 0-20 and 40-60. Queued: 15-20 and 35-60.
    total = idle_of(built).total
    assert (total.device_ns, total.empty_ns, total.queued_ns) == (40_000, 15_000, 25_000)


def test_during_a_launch_nothing_is_queued_yet() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(10, 80, runs=(80, 100))
    assert idle_of(built).total.queued_ns == 0


def test_work_that_waits_on_another_stream_makes_idle_queued_as_well() -> None:
    """The queue is the device's, not one stream's."""
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(0, 1, runs=(1, 20), stream=7)
    built.launch(2, 3, runs=(80, 100), stream=20)
    assert idle_of(built).total.queued_ns == 60_000


def test_idle_between_the_steps_counts_nowhere() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.step(2, 500, 600)
    built.kernel(0, 90, correlation=1)
    built.kernel(550, 600, correlation=2)
    assert [step.device_idle_ns for step in built.report().steps] == [10_000, 50_000]


def test_a_piece_of_idle_across_an_edge_is_cut_there() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.step(2, 100, 200)
    built.launch(1, 2, runs=(2, 70))
    built.launch(129, 130, runs=(150, 200))
    report = built.report()

    assert [step.device_idle_ns for step in report.steps] == [2_000 + 30_000, 50_000]
    assert [step.idle_empty_ns for step in report.steps] == [2_000 + 30_000, 30_000]
    assert idle_of(built).total.device_ns == 82_000


def test_work_from_outside_every_step_is_busy_time_all_the_same() -> None:
    built = TraceBuilder()
    built.launch(0, 5, runs=(100, 180))
    built.step(1, 100, 200)
    assert built.report().steps[0].device_idle_ns == 20_000


def test_without_steps_idle_lies_between_the_first_device_row_and_the_last() -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 1000)
    built.kernel(100, 200, correlation=1)
    built.kernel(350, 400, correlation=2)
    assert idle_of(built).total.device_ns == 150_000


def test_each_device_has_its_own_idle_and_the_total_adds_them() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.kernel(0, 100, device=0, correlation=1)
    built.kernel(0, 30, device=1, correlation=2)
    built.launch(5, 50, runs=(60, 70), device=1)
    idle = idle_of(built)

    assert idle.by_device["0"].device_ns == 0
    second = idle.by_device["1"]
    assert (second.device_ns, second.empty_ns, second.queued_ns) == (60_000, 50_000, 10_000)
    assert idle.total == second
    assert built.report().steps[0].device_idle_ns == 60_000


def test_a_trace_without_device_rows_has_no_idle_rather_than_none_of_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    report = built.report()
    assert (report.idle, report.savings, report.steps[0].device_idle_ns) == (None, None, None)
