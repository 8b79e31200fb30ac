"""What became of a plan: places that wait no longer, what their fixes were predicted to save, and what
the steps without the profiler say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot

from tbprof.model import Action, HookFacts, Report
from tbprof.records import dataclass
from tbprof.texts.actions import place_of
from tbprof.texts.comparison import fixes_sentence
from tbprof.texts.figures.places import site_where
from tbprof.views.compared_sites import site_key
from tbprof.views.findings import saving_view
from tbprof.views.source import SourceFiles
from tbprof.views.steady import us


@dataclass(frozen=True, slots=True)
class SiteKeys:
    """What a site is recognized by in a later window."""

    kind: str
    """The same for sites that do the same in one function."""
    line: str
    """The same for one line alone, where its text was recorded."""
    is_in_each_step: bool
    """Else it can be missing from a window by chance."""


@dataclass(frozen=True, slots=True)
class PlannedFix:
    """An action of the plan that has sites, with what it saves of a step after those before it, in us."""

    name: str
    """Rule and place."""
    sites: tuple[SiteKeys, ...]
    floor_us: float
    ceiling_us: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What is kept of a window to compare it with a later one."""

    commit: str | None
    work: str
    """What the program works on: batches, parameters, devices; "" where the hook saw none of the former."""
    fixes: tuple[PlannedFix, ...]
    sites: tuple[SiteKeys, ...]
    """All of the window."""
    step_us: float | None
    """A median step without the profiler."""
    spread_us: float | None
    """The distance of the median to the farther quartile; None of too few steps."""


@dataclass(frozen=True, slots=True)
class FixesMade:
    """Fixes that were made between two windows of the same work; times are those of a step, in us."""

    names: tuple[str, ...]
    predicted_us: tuple[float, float]
    """Floor and ceiling of all of them together."""
    measured_us: float
    """How much a step without the profiler got shorter by; below 0 where it got longer."""
    noise_us: float
    """What the difference can be off by: the distances of both medians to their quartiles."""

    @property
    def sentence(self) -> str:
        return fixes_sentence(self.names, self.predicted_us, self.measured_us, self.noise_us)


def plan_of(report: Report) -> Plan:
    """The plan of a window, from its report alone."""
    facts, ranked = report.facts, report.ranked
    files = SourceFiles(report)
    keys = [
        SiteKeys(
            kind=site_key(site),
            line=site_key(site, files.line_of(site.source)),
            is_in_each_step=site.count >= max(len(report.steps), 1),
        )
        for site in report.sites
    ]
    actions = () if ranked is None else (*ranked.actions, *ranked.smaller)
    step_us = spread_us = None
    if facts is not None and facts.unprofiled_step_ns is not None:
        step_us = us(facts.unprofiled_step_ns)
        quartiles = facts.unprofiled_quartiles_ns
        spread_us = max((abs(us(each) - step_us) for each in quartiles), default=None)
    return Plan(
        commit=None if facts is None else facts.git_commit,
        work="" if facts is None else _work(report, facts),
        fixes=tuple(planned for action in actions if (planned := _planned(report, action, keys)).sites),
        sites=tuple(keys),
        step_us=step_us,
        spread_us=spread_us,
    )


def _work(report: Report, facts: HookFacts) -> str:
    """The same for windows of the same work; options that a fix may change are not in it."""
    loaders = sorted(f"{one.dataset} x{one.batch_size}" for one in facts.loaders)
    optimizers = sorted(f"{one.name} {one.parameters}" for one in facts.optimizers)
    if not loaders and not optimizers:
        return ""
    machine = (facts.phase, str(report.trace.world_size), *report.trace.devices)
    return ", ".join((*loaders, *optimizers, *machine))


def _planned(report: Report, action: Action, keys: Sequence[SiteKeys]) -> PlannedFix:
    found = [report.findings[at] for at in action.findings]
    sites = [site for one in found for site in one.sites]
    place = place_of([where for site in sites if (where := site_where(report.sites[site]))])
    saves = saving_view(action.saving, max(len(report.steps), 1))
    rules = ", ".join(dict.fromkeys(one.rule for one in found))
    return PlannedFix(
        name=f"{rules} at {place}" if place else rules,
        sites=tuple(keys[site] for site in sites),
        floor_us=saves.floor_us,
        ceiling_us=saves.ceiling_us,
    )


def fixes_made(before: Plan, after: Plan) -> FixesMade | None:
    """What was fixed.

    Returns:
        None where nothing was, the commit is the same, the work another, or too few steps were timed without
        the profiler.
    """
    is_one_commit = before.commit is not None and before.commit == after.commit
    if is_one_commit or not before.work or before.work != after.work:
        return None
    gone = [fix for fix in before.fixes if all(_is_gone(site, before, after) for site in fix.sites)]
    if not gone or before.step_us is None or after.step_us is None:
        return None
    if before.spread_us is None or after.spread_us is None:
        return None
    return FixesMade(
        names=tuple(fix.name for fix in gone),
        predicted_us=(sum(fix.floor_us for fix in gone), sum(fix.ceiling_us for fix in gone)),
        measured_us=before.step_us - after.step_us,
        noise_us=hypot(before.spread_us, after.spread_us),
    )


def _is_gone(site: SiteKeys, before: Plan, after: Plan) -> bool:
    """Whether its line is there no more, nor another in its stead: a finding alone can go by chance."""
    was, now = (sum(site.kind == each.kind for each in plan.sites) for plan in (before, after))
    is_other = now < was and (now == 0 or all(site.line != each.line for each in after.sites))
    return is_other and site.is_in_each_step


def fixes_by_commit(plans: Sequence[Plan]) -> Iterator[tuple[int, FixesMade]]:
    """The fixes that new commits brought, each with the index of its first window.

    Args:
        plans: Those of the windows of one worker, oldest first.
    """
    for at, (before, after) in enumerate(pairwise(plans), start=1):
        is_known = None not in (before.commit, after.commit)
        if is_known and (made := fixes_made(before, after)) is not None:
            yield at, made
