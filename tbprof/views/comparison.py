"""Two windows beside each other: before and after a change, two runs, two ranks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Literal

from tbprof.judge.steady_steps import mean_step_us
from tbprof.judge.words import scope_sentence
from tbprof.model import HookFacts, LoaderFacts, OptimizerFacts, Report
from tbprof.records import dataclass
from tbprof.rules.launch.words import ItemLoop
from tbprof.texts.comparison import (
    RECORDINGS_DIFFER,
    alike_sentence,
    cause_sentence,
    comparison_sentence,
    computing_change_sentence,
    loops_gone_sentence,
    may_be_noise,
    moved_wait_sentence,
    nothing_to_compare,
    scope_of_side,
    taken_note,
    went_note,
)
from tbprof.texts.idle import cause_name
from tbprof.views.answer import Problem
from tbprof.views.compared_figures import (
    LEAST_CHANGE,
    CompareFigure,
    changed_computing,
    changed_most,
    compare_figures,
)
from tbprof.views.compared_sites import CompareSite, CompareSteps, compare_sites, compare_steps, is_told
from tbprof.views.fixes_made import fixes_made, plan_of
from tbprof.views.idle_causes import device_bar, idle_by_cause_us, stacking_place
from tbprof.views.overview import DeviceBar

_COMMIT_DIGITS = 10
"""So many tell the commits of a project apart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something beside the program that is not the same."""

    name: str
    before: str
    after: str


def differences(before: Report, after: Report) -> tuple[Difference, ...]:
    """What was recorded on both sides and is not equal."""
    sides = [_conditions(report) for report in (before, after)]
    names = [name for name in sides[0] if name in sides[1] and sides[0][name] != sides[1][name]]
    return tuple(Difference(name, sides[0][name], sides[1][name]) for name in names)


def alike(before: Report, after: Report) -> tuple[str, ...]:
    """The names of what was recorded on both sides and is equal."""
    sides = [_conditions(report) for report in (before, after)]
    return tuple(name for name, value in sides[0].items() if sides[1].get(name) == value)


def _conditions(report: Report) -> dict[str, str]:
    known: dict[str, str | None] = {
        "devices": ", ".join(report.trace.devices) or None,
        "ranks": None if report.trace.world_size is None else str(report.trace.world_size),
        **({} if report.facts is None else _of_hook(report.facts)),
    }
    return {name: value for name, value in known.items() if value is not None}


def _of_hook(facts: HookFacts) -> dict[str, str | None]:
    return {
        "commit": None if facts.git_commit is None else facts.git_commit[:_COMMIT_DIGITS],
        "torch": facts.torch_version,
        "CUDA or HIP": facts.cuda_version,
        "driver": facts.driver_version,
        "loader": "; ".join(map(_loader, facts.loaders)) or None,
        "optimizer": "; ".join(map(_optimizer, facts.optimizers)) or None,
        "recorded": ", ".join(name for name, on in facts.options.items() if on) or "nothing extra",
        **facts.settings,
        **facts.environment,
    }


def _loader(loader: LoaderFacts) -> str:
    batch = "no batches" if loader.batch_size is None else f"batch_size={loader.batch_size}"
    options = f"num_workers={loader.num_workers}, pin_memory={loader.pin_memory}"
    return f"{loader.dataset}: {batch}, {options}"


def _optimizer(optimizer: OptimizerFacts) -> str:
    return f"{optimizer.name}: foreach={optimizer.foreach}, fused={optimizer.fused}"


@dataclass(frozen=True, slots=True)
class CompareView:
    verdict: str
    detail: str
    scopes: tuple[str, ...]
    """What the figures of each side are of whose file lacks much of what was recorded."""
    steps: tuple[CompareSteps, ...]
    """The steps by each clock that timed both windows; the first one decides. None where one has no steady
    step."""
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
        detail=" ".join(_details(before, after, moved, steps)),
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


def _details(
    before: Report, after: Report, moved: MovedWait | None, steps: tuple[CompareSteps, ...]
) -> Iterator[str]:
    """What was fixed, and why the step changed; no reason where all that a single step shows can be the noise
    of recordings.
    """
    if (made := fixes_made(plan_of(before), plan_of(after))) is not None:
        yield made.sentence
    is_single = bool(steps) and is_told(steps[-1]) is None
    before_us, after_us = mean_step_us(before) or 0.0, mean_step_us(after) or 0.0
    if is_single and may_be_noise(before_us, after_us):
        return
    least_us = (RECORDINGS_DIFFER if is_single else LEAST_CHANGE) * before_us
    yield from (loops_gone_sentence(*loop) for loop in _loops_gone(before, after))
    cause = changed_most(before, after)
    if cause is not None and abs(cause[2] - cause[1]) > least_us:
        yield cause_sentence(*cause)
    computing = changed_computing(before, after, least_us)
    if computing is not None:
        change = computing.change_us, computing.kind, computing.before_us, computing.after_us
        yield computing_change_sentence(*change)
    if moved is not None and not (is_single and moved.taken_us <= least_us):
        yield moved_wait_sentence(moved.source, moved.target, moved.net_us)


def _loops_gone(before: Report, after: Report) -> list[tuple[float, float]]:
    """Turns, and the host's time in us, of loops over items where the later window has none."""
    was, now = (
        [found.figures for found in side.findings if isinstance(found.figures, ItemLoop)]
        for side in (before, after)
    )
    return [] if now else [(loop.turns, loop.loop_per_step_ns / 1000) for loop in was]


@dataclass(frozen=True, slots=True)
class ComparedCause:
    cause: str
    name: str


@dataclass(frozen=True, slots=True)
class CompareBar:
    """The bar of one window: a mean steady step, in us; a mean over the devices."""

    step_us: float
    device: DeviceBar
    idle_us: tuple[float, ...]
    """One entry for each of the causes of both windows."""


@dataclass(frozen=True, slots=True)
class CompareBars:
    causes: tuple[ComparedCause, ...]
    """In the order in which they are stacked; causes that took nothing on both sides are left out."""
    longest_us: float
    before: CompareBar | None
    """Null where no device was recorded."""
    after: CompareBar | None


def compare_bars(before: Report, after: Report) -> CompareBars | None:
    """None where no device was recorded on either side."""
    idle = [_idle_us(side) for side in (before, after)]
    causes = sorted({*idle[0], *idle[1]}, key=stacking_place)
    bars = [_bar(side, causes, idle_us) for side, idle_us in zip((before, after), idle, strict=True)]
    longest_us = max((bar.step_us for bar in bars if bar is not None), default=None)
    if longest_us is None:
        return None
    named = tuple(ComparedCause(cause, cause_name(cause)) for cause in causes)
    return CompareBars(named, longest_us, bars[0], bars[1])


def _idle_us(report: Report) -> dict[str, float]:
    return {} if report.idle is None else idle_by_cause_us(report, report.idle)


def _bar(report: Report, causes: list[str], idle_us: dict[str, float]) -> CompareBar | None:
    device = device_bar(report)
    if device is None:
        return None
    step_us = device.computing_us + device.communication_us + device.copying_us + device.idle_us
    return CompareBar(step_us, device, tuple(idle_us.get(cause, 0.0) for cause in causes))


_LEAST_SHARE = 0.1
"""A site that lost a smaller part of all waits before has not moved its wait."""

_MOVED_FOLD = 2
"""What one site loses and another gains is one wait where neither is more than so many times the other."""


@dataclass(frozen=True, slots=True)
class MovedWait:
    """Where the host waited before, where it waits now, and how much longer that is in all."""

    source: str
    target: str
    net_us: float
    taken_us: float
    """What the target took over; at most what it gained."""
    source_row: int
    target_row: int


def moved_wait(sites: tuple[CompareSite, ...]) -> MovedWait | None:
    """The wait that most left one site and came back at another; None if most of it stayed away.

    Only a change of about the same size is the same wait: where the other site gained more than
    it could have taken over, its wait is its own.
    """
    if not sites:
        return None
    grown_us = [_grown_us(row) for row in sites]
    source, target = grown_us.index(min(grown_us)), grown_us.index(max(grown_us))
    lost_us, gained_us = -grown_us[source], grown_us[target]
    all_us = sum(row.before_wait_us or 0.0 for row in sites)
    is_same = source != target and lost_us / _MOVED_FOLD <= gained_us <= lost_us * _MOVED_FOLD
    places = sites[source].location, sites[target].location
    if lost_us <= _LEAST_SHARE * all_us or not is_same or places[0] == places[1]:
        return None
    return MovedWait(*places, gained_us - lost_us, min(gained_us, lost_us), source, target)


def with_moves(sites: tuple[CompareSite, ...], moved: MovedWait) -> tuple[CompareSite, ...]:
    """The same sites, the two of the moved wait with a note of it."""
    notes = {
        moved.source_row: went_note(moved.target),
        moved.target_row: taken_note(moved.source, moved.taken_us),
    }
    return tuple(
        dataclasses.replace(row, note=notes[at]) if at in notes else row for at, row in enumerate(sites)
    )


def _grown_us(row: CompareSite) -> float:
    return (row.after_wait_us or 0.0) - (row.before_wait_us or 0.0)
