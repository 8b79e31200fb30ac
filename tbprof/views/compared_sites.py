"""The sites of two windows, matched.

They match by what they are (file, function, ops, calls, direction), not by their line: code moves.

How long the steps of two windows take, and whether that differs by more than noise.

Where the hook timed both runs without the profiler those times decide, else the recorded steady
steps: a profiled step and an unprofiled one are no pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, median
from typing import Literal, TypeAlias

from tbprof.judge.steady_steps import median_step_us, steady_steps
from tbprof.model import Report, Site, SiteIndex, fingerprint
from tbprof.records import dataclass
from tbprof.texts.comparison import (
    difference_sentence,
    recorded_steps_sentence,
    unprofiled_steps_sentence,
)
from tbprof.texts.figures.places import site_name
from tbprof.texts.idle import site_location
from tbprof.views.compared_figures import LEAST_CHANGE
from tbprof.views.source import SourceFiles
from tbprof.views.steady import us

_CHANGED_SHARE = 0.1
"""A site whose wait changed by less is the same."""

SiteState: TypeAlias = Literal["gone", "new", "changed", "same"]

_ORDER: tuple[SiteState, ...] = ("gone", "new", "changed", "same")


@dataclass(frozen=True, slots=True)
class CompareSite:
    """Waits and dry times are those of a step, null where the site is not there."""

    state: SiteState
    location: str
    before_location: str
    """Where its line moved from; "" if it did not."""
    what: str
    code: str
    """Its line as it ran; "" where that was not recorded."""
    before_wait_us: float | None
    after_wait_us: float | None
    before_starve_us: float | None
    """How long the GPU had nothing to do after it."""
    after_starve_us: float | None
    before_count: float
    after_count: float
    note: str
    """What became of its wait; "" if there is nothing to say."""
    site: SiteIndex | None
    """Index into the sites of the window after; null if it is gone."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A site in its window."""

    site: Site
    index: SiteIndex
    steps: int
    code: str


def compare_sites(before: Report, after: Report) -> tuple[CompareSite, ...]:
    """One row a site of either side; of several that are alike each is matched once."""
    waiting: dict[str, list[_Found]] = {}
    for found in _sites(before):
        waiting.setdefault(site_key(found.site), []).append(found)
    rows = []
    for found in _sites(after):
        alike = waiting.get(site_key(found.site), [])
        rows.append(_row(alike.pop(0) if alike else None, found))
    rows += [_row(found, None) for alike in waiting.values() for found in alike]
    return tuple(sorted(rows, key=lambda row: (_ORDER.index(row.state), -_longest(row))))


def _sites(report: Report) -> list[_Found]:
    files, steps = SourceFiles(report), max(len(report.steps), 1)
    return [_Found(site, index, steps, files.line_of(site.source)) for index, site in report.indexed_sites]


def site_key(site: Site, code: str = "") -> str:
    """The same for sites that do the same in one function, or on one line where its text is given."""
    place = ("", "") if site.source is None else (site.source.file, site.source.function)
    return fingerprint(site.direction, *place, (*site.ops, *site.calls), code)


def _row(old: _Found | None, new: _Found | None) -> CompareSite:
    shown = new if new is not None else old
    assert shown is not None, "a row is about a site of one side at least"
    before_us, after_us = _wait_us(old), _wait_us(new)
    location = site_location(shown.site)
    before_location = location if old is None else site_location(old.site)
    return CompareSite(
        state=_state(before_us, after_us),
        location=location,
        before_location="" if before_location == location else before_location,
        what=site_name(shown.site),
        code=shown.code,
        before_wait_us=before_us,
        after_wait_us=after_us,
        before_starve_us=_dry_us(old),
        after_starve_us=_dry_us(new),
        before_count=_count(old),
        after_count=_count(new),
        note="",
        site=None if new is None else new.index,
    )


def _wait_us(found: _Found | None) -> float | None:
    return None if found is None else us(found.site.wait_ns) / found.steps


def _dry_us(found: _Found | None) -> float | None:
    return None if found is None else us(found.site.starve_ns) / found.steps


def _count(found: _Found | None) -> float:
    return 0 if found is None else found.site.count / found.steps


def _state(before_us: float | None, after_us: float | None) -> SiteState:
    if before_us is None:
        return "new"
    if after_us is None:
        return "gone"
    return "changed" if abs(after_us - before_us) > _CHANGED_SHARE * max(before_us, after_us) else "same"


def _longest(row: CompareSite) -> float:
    return max(row.before_wait_us or 0.0, row.after_wait_us or 0.0)


_NOISE_FACTOR = 3
"""A recorded step changed where it did by so many times the noise of its median."""

_ERROR_OF_MEDIAN = 1.4826 * 1.2533
"""The error of a median of normal noise: the standard deviation over the median distance to the median, and
the standard error of a median over that of a mean, the root of pi / 2."""

_ENOUGH_STEPS = 5
"""The number of steps below which the median distance can be small by chance; there it is their mean, which
an outlier widens."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """The step times of one window, in us."""

    steps_us: tuple[float, ...]
    """One by one where they were recorded; of unprofiled ones only the three below are kept."""
    middle_us: float
    """Their median."""
    low_us: float | None
    high_us: float | None
    """The usual distance to the median at both sides of it for recorded steps, the quartiles for unprofiled
    ones; null of a single step."""
    text: str


@dataclass(frozen=True, slots=True)
class CompareSteps:
    """Both windows by the same clock."""

    is_unprofiled: bool
    before: StepTimes
    after: StepTimes
    text: str
    """A sentence: by how much they differ, and from where on that is more than noise."""


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
    """A distance that a single outlier does not widen, where there are enough steps to tell one."""
    distances = [abs(step - middle) for step in steps]
    return median(distances) if len(steps) >= _ENOUGH_STEPS else fmean(distances)
