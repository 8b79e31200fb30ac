"""Python outside of operators takes a large part of a step on a CPU.

What
    No device work is in the recording, and for a large part of a step the training thread is neither in
    an operator of torch nor in the DataLoader, and no collective of the hosts runs: it runs Python.

Why
    A GPU makes operators shorter, and Python as long as it was: the host launches the next operator
    only after it. The shorter the operators, the more of a step it is.

Example
    before:
        for row, target in zip(scores, targets):
            total = total + row[target]
    after:
        total = scores.gather(1, targets[:, None]).sum()

Action
    Shorten the Python between the operators.

Fix
    Do for the whole batch in one operator what a loop does for each element, keep books only every few
    steps, and give what prepares data to worker processes.
    caveat: the profiler makes Python slower, most of all where it records stacks.

Silent
    Not reported if such Python takes less than 5 % of the steps, while ranks exchange data on the CPU, or
    if no operator of a step was recorded. Also not reported with device work, or with an op that only a
    program with a GPU has: then LCH01 and LCH02 report how long the device is idle because of it. At most
    medium, because a step needs some Python. Low if hardly any of it takes more than 0.5 ms at a time: so
    short, it is what calling operators costs, and the lines that would wait for a GPU come first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.deepest_function import deepest_function, training_frames
from tbprof.analysis.figures.host_costs import runs_on_host
from tbprof.analysis.figures.sampled_places import sampled_place
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, subtract, union, union_of
from tbprof.model import BOUND_SHARE, SEVERITIES, Finding, Saving, Severity
from tbprof.rules.base.computing import typical_ns, typical_share
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.rule import Rule
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.rules.launch.words import PythonOnHost
from tbprof.trace.columns.arrays import NONE, median
from tbprof.trace.columns.columns import Category

_CODE = "LCH06"

_MUCH = 0.3
"""The part of it from which a function is what to change."""

_LONG_NS = 500_000
"""What torch runs between its operators (modules, autograd, a step of an optimizer) is shorter: at most
0.2 ms in small trainings on a CPU."""


def find(facts: Facts) -> Iterator[Finding]:
    if not _is_judged(facts):
        return
    python = _python(facts)
    spent_ns = typical_ns(facts, python)
    if typical_share(facts, spent_ns) < BOUND_SHARE:
        return
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=spent_ns)
    yield window_finding(
        _CODE,
        place="",
        severity=max(severity_of_transfer(facts, saving), _at_most(facts, python), key=SEVERITIES.index),
        count=len(python.start_ns),
        removal="rewrite",
        saving=saving,
        confidence="low",
        evidence=(),
        figures=PythonOnHost(spent_ns // len(facts.steps), *_most_of_it(facts, python, spent_ns)),
    )


def _is_judged(facts: Facts) -> bool:
    """Whether all runs on the CPU, and operators of the steps were recorded."""
    if not runs_on_host(facts):
        return False
    slices = facts.trace.slices
    ops = slices.start_ns[slices.category == Category.CPU_OP]
    return bool((facts.steps.index_of(ops) != NONE).any())


def _python(facts: Facts) -> Intervals:
    """When, in a step, no training thread is in an operator, in the loader or in a collective."""
    lanes, steps, states = facts.host_lanes, facts.steps, facts.causes.states
    busy = union_of((lanes.in_torch, states["data"], states["collective"]))
    return subtract(intersect(lanes.recorded(), union(steps.start_ns, steps.end_ns)), busy)


def _at_most(facts: Facts, python: Intervals) -> Severity:
    """Low where most steps have hardly any Python but that around the calls of operators."""
    is_long = python.end_ns - python.start_ns > _LONG_NS
    long, steps = Intervals(python.start_ns[is_long], python.end_ns[is_long]), facts.steps
    spent_ns = overlap_ns(long, steps.start_ns, steps.end_ns)
    is_work = median(spent_ns / np.maximum(steps.duration_ns, 1)) >= BOUND_SHARE
    return "medium" if is_work else "low"


def _most_of_it(facts: Facts, python: Intervals, all_ns: int) -> tuple[str, int | None]:
    """The line with most of the hook's samples, and how much in a step; else the deepest function with much
    of it, else the label or function with most, "" where none was recorded.
    """
    sampled = sampled_place(facts, "")
    if sampled is not None:
        return sampled.place, int(sampled.share * all_ns) // len(facts.steps)
    function = deepest_function(facts, facts.once(training_frames), python, _MUCH)
    if function is not None:
        return function.place, int(function.share * all_ns) // len(facts.steps)
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(facts.places.names(python.start_ns, python.end_ns)):
        by_name[name].append(at)
    by_name.pop("", None)
    spent_ns = {
        name: typical_ns(facts, Intervals(python.start_ns[at], python.end_ns[at]))
        for name, at in by_name.items()
    }
    if not spent_ns:
        return "", None
    most = max(spent_ns, key=lambda name: spent_ns[name])
    return most, spent_ns[most] // len(facts.steps)


def _looked_at(facts: Facts) -> PythonOnHost | None:
    if not _is_judged(facts):
        return None
    return PythonOnHost(typical_ns(facts, _python(facts)) // len(facts.steps), most_in="")


RULE = Rule(code=_CODE, effect="earlier_host", find=find, passing=_looked_at, is_timed=True)
