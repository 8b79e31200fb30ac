"""The one thing to say of a window."""

from __future__ import annotations

import pytest
from scenes import gpu_bound, host_bound
from trace_builder import TraceBuilder

from tbprof.model import Verdict


def verdict_of(built: TraceBuilder) -> Verdict:
    verdict = built.report().verdict
    assert verdict is not None
    return verdict


def test_waits_that_cost_something_are_a_bracket() -> None:
    verdict = verdict_of(host_bound(steps=4))
    assert verdict.case == "bracket"
    assert verdict.numbers == {
        "steps": 4,
        "steps_us": 4000.0,
        "idle_share": 0.508,
        "empty_share": 0.498,
        "wait_us": 1288.0,
        "points": 4,
        "ceiling_us": 1288.0,
    }


def test_waits_beside_a_busy_device_are_its_pace() -> None:
    assert verdict_of(gpu_bound()).case == "gpu_bound"


def test_a_window_without_waits_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(0, 1, runs=(10, 20))
    assert verdict_of(built).case == "no_waits"


def test_a_window_without_device_rows_is_not_judged() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.synchronise("cudaStreamSynchronize", 10, 20)
    built.call("cudaEventRecord", 30, 31)
    assert verdict_of(built) == Verdict("no_device", {})


@pytest.mark.parametrize(("empty", "case"), [(9.999, "gpu_bound"), (10, "bracket")])
def test_from_one_percent_of_empty_idle_on_the_device_runs_dry(empty: float, case: str) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, empty, runs=(empty, 1000))
    built.synchronise("cudaStreamSynchronize", 500, 600)
    built.call("cudaEventRecord", 700, 701)
    assert verdict_of(built).case == case
