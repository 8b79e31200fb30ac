"""How far the device's work of a step ends after the step's end on the host."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.model import HealthFact


def test_work_belongs_to_the_step_whose_call_launched_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.step(2, 100, 200)
    built.launch(10, 11, runs=(20, 50))
    built.launch(90, 101, runs=(110, 150))
    built.launch(110, 111, runs=(150, 190))
    assert [step.gpu_lag_ns for step in built.report().steps] == [50_000, 0]


def test_a_graph_is_launched_once_and_ends_with_its_last_kernel() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.graph_launch(10, 20, runs=[(30, 40), (120, 130)])
    assert built.report().steps[0].gpu_lag_ns == 30_000


def test_work_launched_outside_every_step_lags_behind_none() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(150, 400))
    built.step(1, 100, 200)
    built.launch(110, 111, runs=(120, 130))
    assert built.report().steps[0].gpu_lag_ns == 0


def test_without_steps_or_launches_there_is_no_lag() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    assert [step.gpu_lag_ns for step in built.report().steps] == [None]

    built = TraceBuilder()
    built.step(1, 0, 10)
    built.kernel(0, 30, correlation=1)
    assert [step.gpu_lag_ns for step in built.report().steps] == [None]


def lagging(lag: float) -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 20, runs=(30, 1000 + lag))
    return built


def test_beyond_a_tenth_of_a_step_it_is_said() -> None:
    health = lagging(100.001).report().trace.health
    numbers = {"steps": 1, "worst_us": 100.001, "worst_share": 0.100001, "of_device": 1}
    assert HealthFact("gpu_lag", "info", numbers) in health


def test_where_most_steps_end_in_time_a_late_one_is_no_step_of_the_device() -> None:
    built = lagging(200)
    for number in (1, 2):
        built.step(1 + number, 2000 * number, 2000 * number + 1000)
        built.launch(2000 * number + 10, 2000 * number + 20, runs=(2000 * number + 30, 2000 * number + 900))
    (fact,) = (fact for fact in built.report().trace.health if fact.code == "gpu_lag")
    assert (fact.severity, fact.numbers["steps"], fact.numbers["of_device"]) == ("warning", 1, 0)


def test_up_to_a_tenth_of_a_step_nothing_is_said() -> None:

    assert "gpu_lag" not in [fact.code for fact in lagging(100).report().trace.health]
