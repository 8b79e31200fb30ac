"""How long the steps of two windows take, and whether that differs by more than noise.

Where the hook timed both runs without the profiler those times decide, else the recorded steady
steps: a profiled step and an unprofiled one are no pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from tbprof.averages import fmean, median
from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.texts.screens.comparison import (
    difference_sentence,
    recorded_steps_sentence,
    unprofiled_steps_sentence,
)
from tbprof.views.base.steady import median_step_us, steady_steps
from tbprof.views.base.times import us
from tbprof.views.compare.figures import LEAST_CHANGE

_NOISE_FACTOR = 3
"""A recorded step changed where it did by so many times the noise of its median."""

_ERROR_OF_MEDIAN = 1.4826 * 1.2533
"""Of normal noise: the standard deviation over the median distance to the median, and the standard error
of a median over that of a mean, the root of pi / 2."""

_ENOUGH_STEPS = 5
"""Of fewer the median distance can be small by chance; there it is their mean, which an outlier widens."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Of one window, in us."""

    steps_us: tuple[float, ...]
    """One by one where they were recorded; of unprofiled ones only the three below are kept."""
    middle_us: float
    """Their median."""
    low_us: float | None
    high_us: float | None
    """Of recorded steps the usual distance to the median at both sides of it, of unprofiled ones the
    quartiles; null of a single step."""
    text: str


@dataclass(frozen=True, slots=True)
class CompareSteps:
    """Both windows by the same clock."""

    is_unprofiled: bool
    before: StepTimes
    after: StepTimes
    text: str
    """By how much they differ, and from where on that is more than noise."""


def compare_steps(before: Report, after: Report) -> tuple[CompareSteps, ...]:
    """Without the profiler, then as recorded: each where both windows have it."""
    unprofiled = _compared([_unprofiled(side) for side in (before, after)], True)
    recorded = _compared([_recorded(side) for side in (before, after)], False)
    return (*unprofiled, *recorded)


def _compared(sides: Sequence[StepTimes | None], is_unprofiled: bool) -> tuple[CompareSteps, ...]:
    before, after = sides
    if before is None or after is None:
        return ()
    change_us = after.middle_us - before.middle_us
    text = difference_sentence(change_us, _least_told_us(before, after))
    return (CompareSteps(is_unprofiled, before, after, text),)


def is_told(steps: CompareSteps) -> bool | None:
    """Whether the step changed by more than its own noise; None where a single step has none."""
    least_us = _least_told_us(steps.before, steps.after)
    return None if least_us is None else abs(steps.after.middle_us - steps.before.middle_us) > least_us


def _least_told_us(before: StepTimes, after: StepTimes) -> float | None:
    """What a change has to exceed; None where a single step does not tell its noise.

    Of unprofiled steps the number is not kept: there the medians have to lie further apart
    than a quartile from its median.
    """
    before_us, after_us = _noise_us(before), _noise_us(after)
    if before_us is None or after_us is None:
        return None
    return max(before_us, after_us, LEAST_CHANGE * before.middle_us)


def _noise_us(side: StepTimes) -> float | None:
    if side.low_us is None or side.high_us is None:
        return None
    distance = max(side.middle_us - side.low_us, side.high_us - side.middle_us)
    error_us = _ERROR_OF_MEDIAN * distance / sqrt(max(len(side.steps_us), 1))
    return _NOISE_FACTOR * error_us if side.steps_us else distance


def _unprofiled(report: Report) -> StepTimes | None:
    facts = report.facts
    if facts is None or facts.unprofiled_step_ns is None or len(facts.unprofiled_quartiles_ns) != 2:
        return None
    middle, (low, high) = us(facts.unprofiled_step_ns), map(us, facts.unprofiled_quartiles_ns)
    return StepTimes((), middle, low, high, unprofiled_steps_sentence(middle, low, high))


def _recorded(report: Report) -> StepTimes | None:
    middle = median_step_us(report)
    if middle is None:
        return None
    steps = tuple(us(step.length_ns) for step in steady_steps(report))
    distance = _usual_distance_us(steps, middle) if len(steps) > 1 else None
    return StepTimes(
        steps_us=steps,
        middle_us=middle,
        low_us=None if distance is None else middle - distance,
        high_us=None if distance is None else middle + distance,
        text=recorded_steps_sentence(len(steps), middle, distance),
    )


def _usual_distance_us(steps: Sequence[float], middle: float) -> float:
    """That a single outlier does not widen, where there are enough steps to tell one."""
    distances = [abs(step - middle) for step in steps]
    return median(distances) if len(steps) >= _ENOUGH_STEPS else fmean(distances)
