"""From when on a step is slow, and how often one begins a window."""

from __future__ import annotations

from tbprof.hook.schedule import NO_STEP_NS, SlowSteps
from tbprof.hook.step_clock import StepClock
from tbprof.hook.timetable import ENOUGH_STEPS, FEWEST_STEPS, SlowStepWatch


def clock_after(steps: int) -> StepClock:
    clock = StepClock()
    clock.unprofiled_ns.extend([1000] * steps)
    return clock


def test_a_slow_step_is_so_many_times_the_median() -> None:
    clock = clock_after(FEWEST_STEPS)
    assert SlowStepWatch(SlowSteps(factor=2.5), clock).look(30) == 30 + FEWEST_STEPS
    assert clock.slow_ns == 2500
    assert SlowStepWatch(SlowSteps(), clock_after(ENOUGH_STEPS)).look(700) == 700 + ENOUGH_STEPS


def test_nothing_is_slow_before_enough_steps_are_known_or_where_nobody_asked() -> None:
    early, unasked = clock_after(FEWEST_STEPS - 1), clock_after(500)
    SlowStepWatch(SlowSteps(), early).look(19)
    assert SlowStepWatch(None, unasked).look(500) is None
    assert (early.slow_ns, unasked.slow_ns) == (NO_STEP_NS, NO_STEP_NS)
    assert not SlowStepWatch(None, unasked).begins_window(500, 10**9)


def test_windows_have_their_distance_and_their_number() -> None:
    clock = clock_after(100)
    watch = SlowStepWatch(SlowSteps(cool_down=100, at_most=2), clock)
    watch.look(100)
    slow = [watch.begins_window(steps, 3000) for steps in (110, 180, 210, 600)]
    assert slow == [True, False, True, False]
    assert not SlowStepWatch(SlowSteps(), clock).begins_window(700, 2999)
    assert watch.look(700) is None
    assert clock.slow_ns == NO_STEP_NS
