"""The host does other things while the GPU has nothing to do.

What
    The device has run dry, and the host is in Python or in ops that launch nothing: it prepares
    data, keeps books, logs, or takes long to decide what comes next.

Why
    Each of these moments is lost, since nothing was queued before. It is neither a sync point nor
    the data loader, so removing waits does not help.

Example
    before:
        for images, labels in loader:
            masks = make_masks(images.shape)
            loss = model(images, masks)
    after:
        masks = make_masks(next(iter(loader))[0].shape)
        for images, labels in loader:
            loss = model(images, masks)

Action
    Shorten the host's own work here, or move it out of the step.

Fix
    Launch the device's next work before it, take it out of the step, or, where it prepares data, give it
    to worker processes.
    caveat: the place is what the host was in, not always what is slow: without Python frames it is
    the outermost op. Where torch ran none, it is the line with most of the hook's samples.

Silent
    Not reported if such idle time is under 1 % of the warm steps, or for pauses shorter than 0.2 ms: then
    the host was launching (LCH01). The end of the window does not count as a pause if nothing of the
    program is recorded in it. At most low if another cause holds more of the idle time, or for one pause in
    several steps that is less than 0.1 ms of each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.deepest_function import deepest_function, training_frames
from tbprof.analysis.figures.health import knows_launching_code
from tbprof.analysis.figures.idle_places import LaunchIdle, find_launch_idle, largest_cause, pauses
from tbprof.analysis.figures.packed_buffers import packed_buffers
from tbprof.analysis.figures.pause_code import pause_code
from tbprof.analysis.figures.sampled_places import sampled_place
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, are_within, intersect, subtract, total_ns, union, union_of
from tbprof.analysis.names import matching_rows
from tbprof.model import MEDIUM_SHARE, SEVERITIES, Finding, Saving, Severity
from tbprof.rules.base.computing import typical_ns
from tbprof.rules.base.evidence import idle_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.passing import long_pauses
from tbprof.rules.base.rule import GPU_WORK, Need, Rule
from tbprof.rules.base.severity import severity_of_cause
from tbprof.rules.launch.words import HostPauses
from tbprof.trace.columns.arrays import NONE, is_among
from tbprof.trace.columns.columns import Category

_CODE = "LCH02"

_ONCE_NS = 100_000

_MOST = 0.3
"""The part of the pauses from which a function is what to change."""

_CODE_ROWS = (Category.USER_ANNOTATION, Category.PYTHON, Category.CPU_OP)


def find(facts: Facts) -> Iterator[Finding]:
    places = _pauses_by_place(facts)
    idle_ns = {place: typical_ns(facts, those.idle) for place, those in places.items()}
    all_ns = sum(idle_ns.values())
    if all_ns < max(MEDIUM_SHARE * facts.steps.total_ns, 1):
        return
    place = min(places, key=lambda one: (-idle_ns[one], one))
    idle = places[place].idle
    sampled = None if place else sampled_place(facts, within="")
    named = place if sampled is None else sampled.place
    seen = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=idle_ns[place])
    won_ns = max(total_ns(idle), earlier_host_ns(facts, _paused(facts, place)))
    code = pause_code(facts, idle)
    function = deepest_function(facts, facts.once(training_frames), idle, _MOST)
    yield window_finding(
        _CODE,
        place=named,
        severity=_severity(facts, seen, named, pauses=len(idle), launches=code.launches),
        count=len(idle),
        removal="rewrite",
        saving=Saving(floor_ns=0, estimate_ns=None, ceiling_ns=won_ns),
        confidence="medium" if named else "low",
        evidence=idle_evidence(facts, idle),
        figures=HostPauses(
            place=named,
            idle_per_step_ns=idle_ns[place] // len(facts.steps),
            all_places_per_step_ns=all_ns // len(facts.steps),
            sampled_share=None if sampled is None else sampled.share,
            samples=None if sampled is None else sampled.samples,
            largest=code.largest,
            largest_share=code.share,
            launches=code.launches,
            before=code.before,
            after=code.after,
            between=code.between / len(facts.steps),
            between_share=code.between_share if code.between else None,
            operators=code.operators / len(facts.steps) if code.operators else None,
            most_often=code.most_often,
            function="" if function is None else function.place,
            function_share=None if function is None else function.share,
        ),
    )


def _pauses_by_place(facts: Facts) -> dict[str, LaunchIdle]:
    """The pauses, by where the host was in them.

    The one at the window's end with nothing of the program in it is left out: the profiler may be ending.
    """
    long = facts.once(find_launch_idle).long()
    pieces: defaultdict[str, list[int]] = defaultdict(list)
    elsewhere = are_within(long.idle.start_ns, facts.once(_known_otherwise))
    for at, name in enumerate(facts.places.names(long.idle.start_ns, long.idle.end_ns)):
        if (name or long.launch[at] != NONE) and not elsewhere[at]:
            pieces[name].append(at)
    return {name: long.chosen(np.array(at)) for name, at in pieces.items()}


def _known_otherwise(facts: Facts) -> Intervals:
    """The start, which comes once, and the packing of buffers, of which another rule knows the option."""
    return union_of((facts.program_start, facts.once(packed_buffers)))


def _paused(facts: Facts, place: str) -> Intervals:
    """All long pauses there, those too that the device did not wait for, or that go on in other code."""
    states = facts.causes.states
    elsewhere = union_of((states["loading"], states["compile"], facts.once(_known_otherwise)))
    long = subtract(pauses(facts), elsewhere)
    mine = np.array([name == place for name in facts.places.names(long.start_ns, long.end_ns)], np.bool_)
    there = Intervals(long.start_ns[mine], long.end_ns[mine])
    if not place:
        return there
    slices = facts.trace.slices
    rows = matching_rows(facts.trace, re.escape(place) + "$", *_CODE_ROWS)
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    return union_of((there, intersect(long, union(slices.start_ns[rows], slices.end_of(rows)))))


def _severity(facts: Facts, saving: Saving, place: str, *, pauses: int, launches: bool) -> Severity:
    """At most medium for work that nobody can look for, or for operators that are slow to launch; low where
    another cause is larger.

    So it is with one short pause in several steps: most of them are without it.
    """
    steps = len(facts.steps)
    is_rare = pauses == 1 < steps and saving.ceiling_ns < _ONCE_NS * steps
    is_small = is_rare or largest_cause(facts) != "launch"
    at_most: Severity = "low" if is_small else "critical" if place and not launches else "medium"
    return max(severity_of_cause(facts, saving), at_most, key=SEVERITIES.index)


def _knows_the_pauses(facts: Facts) -> bool:
    return knows_launching_code(facts, facts.once(find_launch_idle).long().idle)


RULE = Rule(
    code=_CODE,
    effect="earlier_host",
    answers=("host_bound",),
    find=find,
    passing=long_pauses,
    needs=(GPU_WORK, Need("operators of the threads that launch", _knows_the_pauses)),
)
