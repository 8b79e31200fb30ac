"""A loop does item by item what the device could do for all items at once.

What
    The host asks the same of the device turn after turn, eight times and more: it launches small kernels
    for one item, often waits for what they find, and goes on to the next item.

Why
    Each turn costs the host what it takes to launch, and each wait in it a way to the device and back,
    however little there is to compute. The same ops over all items are launched once.

Example
    before:
        for mask in masks:
            if mask.any():
                areas.append(image[mask].sum())
    after:
        areas = (image * masks).sum(dim=(-2, -1))[masks.any(dim=(-2, -1))]

Action
    Do this for all items at once instead of one by one.

Fix
    Give the ops of the loop one dimension more: batch the items (pad or concatenate those of unlike
    sizes), select with one mask or one sort for all of them, and read the results once after it.
    caveat: where a turn needs what the one before it found, as in a scan, decoding or a solver, it stays
    a loop: compile its turn, and look at the device's values only every few turns.

Silent
    Not reported for fewer than eight turns, or if the GPU is idle in the loop for less than 1 % of the steps
    or works for half of it. Layers, batches, decoded tokens, steps of a training, and what an optimizer does
    for each parameter are no such loops. The waits, pauses and launches in the loop are part of this finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.item_loops import (
    ItemLoop,
    costly_loops,
    device_ns,
    find_item_loops,
    idle_in_steps,
    idle_ns,
)
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import are_within, intersect, total_ns, union
from tbprof.model import SEVERITIES, Finding, Saving, Severity, SiteIndex
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.launching import gaps_ns
from tbprof.rules.base.rule import GPU_WORK, Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.launch import words
from tbprof.trace.columns.arrays import Int64s, distinct, is_among

_CODE = "LCH08"

_NEARLY_ALL = 0.9
"""The part of a site's waits from which on it is one of the loop's."""

_MOST_CALLS = 8
"""Names that a sentence has room for."""


def find(facts: Facts) -> Iterator[Finding]:
    for loop in facts.once(costly_loops):
        yield _finding(facts, loop)


def _finding(facts: Facts, loop: ItemLoop) -> Finding:
    host_ns, steps = total_ns(loop.during), len(facts.steps)
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=_most_ns(facts, loop))
    waits = _waits(facts, loop)
    place = _place(facts, loop)
    return window_finding(
        _CODE,
        place=place,
        severity=_severity(facts, loop, saving),
        count=loop.turns,
        removal="rewrite",
        saving=saving,
        confidence="high" if len(waits) and loop.selects else "medium",
        evidence=idle_evidence(facts, intersect(idle_in_steps(facts), loop.during)),
        figures=words.ItemLoop(
            place=place,
            lines=_lines(facts, _sites(facts, waits)),
            calls=_named(loop.calls),
            selects=int(loop.selects),
            turns=round(loop.turns / steps, 1),
            turn_ns=host_ns // loop.turns,
            device_per_turn_ns=device_ns(facts, loop) // loop.turns,
            loop_per_step_ns=host_ns // steps,
            idle_per_step_ns=idle_ns(facts, loop) // steps,
            waits=round(len(waits) / steps, 1),
            waits_ns=int(facts.episodes.wait_ns[waits].sum()) // steps,
            kernels=round(int(facts.work.is_kernel[loop.work].sum()) / steps, 1),
        ),
    )


def _severity(facts: Facts, loop: ItemLoop, saving: Saving) -> Severity:
    """At most medium where each turn may need the one before it."""
    at_most: Severity = "critical" if loop.selects else "medium"
    return max(severity_of_cause(facts, saving), at_most, key=SEVERITIES.index)


def _most_ns(facts: Facts, loop: ItemLoop) -> int:
    """The time of the loop; where its turns read what the device found, less what the device does meanwhile.

    It does that for all items, too.
    """
    waits, work, episodes = _waits(facts, loop), facts.work, facts.episodes
    most_ns = min(
        earlier_host_ns(facts, loop.during, waits) + gaps_ns(facts, loop.work), total_ns(loop.during)
    )
    if int((episodes.direction[waits] != _UPLOAD).sum()) < loop.turns // 2:
        return most_ns
    mine = np.flatnonzero(is_among(work.place, distinct(work.place[loop.work])))
    busy_ns = total_ns(intersect(union(work.start_ns[mine], work.end_ns[mine]), loop.during))
    return max(min(most_ns, total_ns(loop.during) - max(busy_ns, device_ns(facts, loop))), 0)


_UPLOAD = DIRECTIONS.index("HtoD")


def _all_sites(facts: Facts) -> frozenset[SiteIndex]:
    loops = facts.once(costly_loops)
    return frozenset(site for loop in loops for site in _sites(facts, _waits(facts, loop)))


def _waits(facts: Facts, loop: ItemLoop) -> Int64s:
    """Positions of the sync points in its turns, and in what autograd does for them."""
    points = np.flatnonzero(facts.can_be_won)
    return points[are_within(facts.episodes.start_ns[points], loop.during)]


def _sites(facts: Facts, waits: Int64s) -> tuple[SiteIndex, ...]:
    """The sites nearly all of whose waits are in it."""
    inside = np.zeros(len(facts.episodes.first), np.bool_)
    inside[waits] = True
    found = []
    for index, site in facts.indexed_sites:
        points = site.members[facts.can_be_won[site.members]]
        if len(points) and inside[points].mean() >= _NEARLY_ALL:
            found.append(index)
    return tuple(found)


def _place(facts: Facts, loop: ItemLoop) -> str:
    """The label or function that most of its launches are in."""
    launches = distinct(facts.work.launch[loop.work])
    slices = facts.trace.slices
    on_lane = launches[slices.lane[launches] == loop.lane]
    names = facts.places.code_on(slices.lane[on_lane].astype(np.int64), slices.start_ns[on_lane])
    return Counter(names).most_common(1)[0][0] if names else ""


def _lines(facts: Facts, sites: tuple[SiteIndex, ...]) -> str:
    """The lines of each file, as `train.py:12, 14`; "" where none is known."""
    lines: dict[str, set[int]] = {}
    for site in sites:
        source = facts.sites[site].source
        if source is not None and source.exact and source.line:
            lines.setdefault(source.file, set()).add(source.line)
    return "; ".join(f"{file}:{', '.join(map(str, sorted(found)))}" for file, found in sorted(lines.items()))


def _named(calls: tuple[str, ...]) -> str:
    names = [name.removeprefix("aten::") for name in calls]
    shown = ", ".join(names[:_MOST_CALLS])
    return f"{shown} and {len(names) - _MOST_CALLS} more" if len(names) > _MOST_CALLS else shown


def _looked_at(facts: Facts) -> words.FewItemLoops | None:
    launches = len(facts.work.launches)
    turns = sum(loop.turns for loop in facts.once(find_item_loops))
    return words.FewItemLoops(launches, turns) if launches else None


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("item_loop",),
    find=find,
    passing=_looked_at,
    needs=(GPU_WORK,),
    holds=_all_sites,
)
