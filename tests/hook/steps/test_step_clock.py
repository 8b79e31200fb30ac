"""Step times: what is measured, and what is left out."""

from __future__ import annotations

import pytest

from tbprof.hook import step_clock
from tbprof.hook.step_clock import StepClock, StepTimes


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


def test_steps_leave_their_length_until_somebody_asks(now: list[int]) -> None:
    clock = StepClock()
    clock.keep_marks(are_kept=True)
    clock.unsettled_ns.extend([1, 2])
    assert not clock.marks
    clock.end_apart(9, is_outside=False)
    clock.unsettled_ns.append(3)
    clock.share_with_own_work(is_shared=True)
    clock.end_apart(4, is_outside=True)
    now[0] = 50
    clock.restart()
    clock.note("evaluation")
    assert list(clock.marks) == [[1, 2], [9], [3], [4], 50, ("evaluation", 50)]
    assert (list(clock.unprofiled_ns), clock.left_out, clock.steps) == ([1, 2, 3], 1, 5)


def test_medians_are_none_without_steps_and_whole_nanoseconds_with_them() -> None:
    clock = StepClock()
    assert clock.unprofiled == StepTimes(cold_ns=(), median_ns=None, quartiles_ns=())
    assert clock.median_profiled_ns is None
    clock.unprofiled_ns.extend([1, 2])
    clock.profiled_ns.extend([5, 9, 7])
    assert clock.unprofiled.median_ns == 1
    assert clock.median_profiled_ns == 7


def test_start_up_is_apart_from_the_steps_after_it() -> None:
    clock = StepClock()
    clock.unprofiled_ns.extend([900, 160, 100, 104, 400, 96, 100, 100])
    assert clock.unprofiled == StepTimes(cold_ns=(900, 160), median_ns=100, quartiles_ns=(100, 103))


def test_a_slow_step_of_a_long_run_is_no_start_up() -> None:
    clock = StepClock()
    clock.unprofiled_ns.extend([100] * step_clock.KEPT_STEPS)
    clock.unprofiled_ns.extend([900] + [100] * (step_clock.KEPT_STEPS - 1))
    assert clock.unprofiled_ns[0] == 900
    assert clock.unprofiled.cold_ns == ()


def test_the_latest_steps_have_a_median_where_there_are_enough() -> None:
    clock = StepClock()
    clock.unprofiled_ns.extend([9, 9, 9, 1, 2, 3])
    assert clock.median_of_latest(3) == 2
    assert clock.median_of_latest(2) is None
    assert StepClock().median_of_latest(100) is None


def test_a_long_run_keeps_its_latest_steps_only() -> None:
    clock = StepClock()
    clock.unprofiled_ns.extend(range(10 * step_clock.KEPT_STEPS))
    assert len(clock.unprofiled_ns) == step_clock.KEPT_STEPS
    assert clock.unprofiled_ns[-1] == 10 * step_clock.KEPT_STEPS - 1
