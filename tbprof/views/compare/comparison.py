"""Two windows beside each other: before and after a change, two runs, two ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from tbprof.model import Report
from tbprof.records import dataclass
from tbprof.texts.screens.comparison import (
    alike_sentence,
    cause_sentence,
    comparison_sentence,
    moved_wait_sentence,
    nothing_to_compare,
    scope_of_side,
)
from tbprof.texts.screens.verdicts import scope_sentence
from tbprof.views.compare.bars import CompareBars, compare_bars
from tbprof.views.compare.conditions import Difference, alike, differences
from tbprof.views.compare.figures import CompareFigure, changed_most, compare_figures
from tbprof.views.compare.moves import MovedWait, moved_wait, with_moves
from tbprof.views.compare.sites import CompareSite, compare_sites
from tbprof.views.compare.steps import CompareSteps, compare_steps, is_told
from tbprof.views.window.answer import Problem


@dataclass(frozen=True, slots=True)
class CompareView:
    verdict: str
    detail: str
    scopes: tuple[str, ...]
    """Of each side whose file lacks much of what was recorded, what its figures are of."""
    steps: tuple[CompareSteps, ...]
    """By each clock that timed both windows; the first one decides. None where one has no steady step."""
    bars: CompareBars | None
    """Null where no device was recorded on either side."""
    figures: tuple[CompareFigure, ...]
    differences: tuple[Difference, ...]
    alike: str
    """What else was recorded on both sides; "" if nothing."""
    sites: tuple[CompareSite, ...]
    """Gone, new, changed, same; in each the longest waits first."""


@dataclass(frozen=True, slots=True)
class CompareAnswer:
    state: Literal["ready", "reading", "broken"]
    view: CompareView | None
    problem: Problem | None


def compare_view(before: Report, after: Report) -> CompareView:
    """What is different in `after`."""
    sites = compare_sites(before, after)
    steps = compare_steps(before, after)
    moved = moved_wait(sites)
    return CompareView(
        verdict=_verdict(steps[0]) if steps else nothing_to_compare(),
        detail=" ".join(_details(before, after, moved)),
        scopes=tuple(_scopes(before, after)),
        steps=steps,
        bars=compare_bars(before, after),
        figures=compare_figures(before, after, is_told=is_told(steps[-1]) if steps else None),
        differences=differences(before, after),
        alike=alike_sentence(alike(before, after)),
        sites=sites if moved is None else with_moves(sites, moved),
    )


def _scopes(before: Report, after: Report) -> Iterator[str]:
    for side, report in (("Before", before), ("After", after)):
        if scope := scope_sentence(report.verdict):
            yield scope_of_side(side, scope)


def _verdict(steps: CompareSteps) -> str:
    lengths = (steps.before.middle_us, steps.after.middle_us)
    return comparison_sentence(*lengths, is_told=is_told(steps), is_unprofiled=steps.is_unprofiled)


def _details(before: Report, after: Report, moved: MovedWait | None) -> Iterator[str]:
    cause = changed_most(before, after)
    if cause is not None:
        yield cause_sentence(*cause)
    if moved is not None:
        yield moved_wait_sentence(moved.source, moved.target, moved.net_us)
