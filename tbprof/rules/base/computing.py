"""Findings about what the device computes, and could do in less time or need not do."""

from __future__ import annotations

import re

import numpy as np

from tbprof.analysis.attribution.graph_places import graph_place
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import faster_device_ns
from tbprof.analysis.intervals import Intervals, overlap_ns
from tbprof.analysis.names import are_named, matching_names
from tbprof.model import MEDIUM_SHARE, SEVERITIES, Figures, Finding, Removal, Saving, Severity
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import Confidence, window_finding, with_remedy
from tbprof.rules.base.origin import origin_of
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.trace.columns.arrays import NONE, Int64s


def in_main_steps(facts: Facts, at: Int64s) -> Int64s:
    """The positions of the device work of the busiest device that was launched in a step."""
    work = facts.work
    if work.main_device is None:
        return at[:0]
    known = (work.launch[at] != NONE) & (work.device[at] == work.main_device)
    inside: Int64s = at[known & (facts.steps.index_of(work.launch_start_ns[at]) != NONE)]
    return inside


def device_ns(facts: Facts, at: Int64s) -> int:
    """How long this work took of the steps, what ran beside each other added; at most all of them."""
    spent_ns = int((facts.work.end_ns[at] - facts.work.start_ns[at]).sum())
    return min(spent_ns, facts.steps.total_ns)


def spent_on(facts: Facts, at: Int64s) -> tuple[float, int]:
    """The share of the steps that this work takes, 0 to 1, and how long it takes in a step."""
    spent_ns = device_ns(facts, at)
    return spent_ns / max(facts.steps.total_ns, 1), spent_ns // max(len(facts.steps), 1)


def is_worth_a_word(facts: Facts, saved_ns: int) -> bool:
    """Whether it is at least the share of the steps from which on a finding can be medium."""
    return saved_ns >= max(MEDIUM_SHARE * facts.steps.total_ns, 1)


def severity_of_computing(facts: Facts, saving: Saving) -> Severity:
    """At most medium: a ceiling alone is known."""
    return max(severity_of_transfer(facts, saving), "medium", key=SEVERITIES.index)


def computing_finding(
    facts: Facts,
    rule: str,
    at: Int64s,
    *,
    ceiling_ns: int,
    figures: Figures,
    confidence: Confidence = "medium",
    removal: Removal = "rewrite",
    keeps_launches: bool = False,
) -> Finding:
    """A finding about this device work, of which at most `ceiling_ns` are won.

    Where a fix makes kernels shorter and `keeps_launches`, no more than any faster device wins.
    """
    at_most_ns = facts.once(faster_device_ns) if keeps_launches else facts.steps.total_ns
    ceiling_ns = min(ceiling_ns, at_most_ns, facts.steps.total_ns)
    saving = Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ceiling_ns)
    severity = severity_of_computing(facts, saving)
    if _is_of_one(facts, at, ceiling_ns):
        severity = max(severity, "low", key=SEVERITIES.index)
    length_ns = facts.work.end_ns[at] - facts.work.start_ns[at]
    found = window_finding(
        rule,
        place=figures.place,
        severity=severity,
        count=len(at),
        removal=removal,
        saving=saving,
        confidence=confidence,
        evidence=row_evidence(facts, "kernel", facts.work.rows[at]),
        figures=figures,
    )
    graphed_in = graph_place(facts.graph_places, at, length_ns)
    is_placed = bool(figures.place or graphed_in)
    return with_remedy(
        found, graphed_in=graphed_in, origin="" if is_placed else origin_of(facts, at, length_ns)
    )


def _is_of_one(facts: Facts, at: Int64s, ceiling_ns: int) -> bool:
    """Whether a single kernel holds so much of it that the others are worth nothing.

    What is so long once, as a first call or behind another process, is no kernel that a fix makes faster.
    """
    length_ns = facts.work.end_ns[at] - facts.work.start_ns[at]
    others = 1 - int(length_ns.max(initial=0)) / max(int(length_ns.sum()), 1)
    return not is_worth_a_word(facts, round(ceiling_ns * others))


def kernels_named(facts: Facts, pattern: str) -> Int64s:
    """Kernels of the busiest device, launched in a step, in whose name the pattern is found."""
    kernels = np.flatnonzero(facts.work.is_kernel)
    named = are_named(facts.trace, facts.work.rows[kernels], re.compile(pattern).search)
    return in_main_steps(facts, kernels[named])


_TRAINING = r"autograd::engine|Optimizer\.step|.*Backward\d*$|.*_backward$"


def trains(facts: Facts) -> bool:
    """Whether a backward pass or an optimizer is on record, inside the steps or outside."""
    return bool(matching_names(facts.trace, _TRAINING).any())


def typical_ns(facts: Facts, spent: Intervals) -> int:
    """The part of this time in a mean warm step, times the steps: first calls would drown all others."""
    steps = facts.steps
    warm = ~np.array(steps.cold)
    in_steps = overlap_ns(spent, steps.start_ns, steps.end_ns)[warm]
    return int(in_steps.mean() * len(steps)) if len(in_steps) else 0


def typical_share(facts: Facts, spent_ns: int) -> float:
    """What `typical_ns` tells, as a part of steps that are all like a mean warm one, 0 to 1."""
    warm = facts.steps.duration_ns[~np.array(facts.steps.cold)]
    length_ns = float(warm.mean()) * len(facts.steps) if len(warm) else 0.0
    return min(spent_ns / max(length_ns, 1.0), 1.0)
