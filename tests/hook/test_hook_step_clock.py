"""Step times: what is measured, and what is left out."""

from __future__ import annotations

import pytest

from tbprof.hook import step_clock
from tbprof.hook.step_clock import StepClock


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The clock's time, in its only element."""
    time = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: time[0])
    return time


def test_a_lap_ends_a_step_and_begins_the_next(now: list[int]) -> None:
    clock = StepClock()
    clock.restart()
    now[0] = 5
    assert clock.lap() == 5
    now[0] = 7
    assert clock.lap() == 2


def test_what_lies_before_a_restart_is_in_no_step(now: list[int]) -> None:
    clock = StepClock()
    now[0] = 100
    clock.restart()
    now[0] = 103
    assert clock.lap() == 3


def test_medians_are_none_without_steps_and_whole_nanoseconds_with_them() -> None:
    clock = StepClock()
    assert clock.median_unprofiled_ns is None
    assert clock.median_profiled_ns is None
    clock.unprofiled_ns.extend([1, 2])
    clock.profiled_ns.extend([5, 9, 7])
    assert clock.median_unprofiled_ns == 1
    assert clock.median_profiled_ns == 7


def test_a_long_run_keeps_its_latest_steps_only() -> None:
    clock = StepClock()
    clock.unprofiled_ns.extend(range(10 * step_clock.KEPT_STEPS))
    assert len(clock.unprofiled_ns) == step_clock.KEPT_STEPS
    assert clock.unprofiled_ns[-1] == 10 * step_clock.KEPT_STEPS - 1
