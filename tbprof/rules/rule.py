"""What a rule is, and the parts of a finding that all rules make alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals
from tbprof.analysis.savings import saving_of
from tbprof.analysis.steps import OUTSIDE
from tbprof.model import (
    Evidence,
    Finding,
    Numbers,
    Removal,
    Saving,
    Severity,
    fingerprint,
)
from tbprof.rules.severity import severity_of_waits

__all__ = [
    "GPU_WORK",
    "STEPS",
    "Confidence",
    "Need",
    "Rule",
    "idle_evidence",
    "row_evidence",
    "site_finding",
    "window_finding",
]

Confidence: TypeAlias = Literal["high", "medium", "low"]

_MAX_EVIDENCE = 3


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a trace must hold for a rule to say anything."""

    name: str
    """Completes "not checked: no ... recorded"."""
    is_met: Callable[[Facts], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    code: str
    name: str
    needs: tuple[Need, ...]
    find: Callable[[Facts], Iterator[Finding]]
    doc: str
    """The rule's page, as written in its file."""


GPU_WORK = Need("GPU work", lambda facts: facts.work.main_device is not None)
STEPS = Need("steps", lambda facts: facts.steps.recorded)


def site_finding(
    facts: Facts, site_index: int, *, rule: str, removal: Removal, numbers: Numbers
) -> Finding:
    """The finding that one site is, with its bracket, its steps and its longest waits."""
    site = facts.sites[site_index]
    members = site.members
    steps = np.unique(facts.episodes.step[members])
    saving = saving_of(facts, members, removal)
    source = site.source
    return Finding(
        rule=rule,
        severity=severity_of_waits(facts, members, saving),
        sites=(site_index,),
        steps=tuple(steps[steps != OUTSIDE].tolist()),
        count=len(members),
        removal=removal,
        saving=saving,
        confidence="high" if source is not None else "medium",
        evidence=_longest(facts, members),
        numbers=numbers,
        fingerprint=fingerprint(
            rule,
            "" if source is None else source.file,
            "" if source is None else source.function,
            site.ops,
        ),
    )


def window_finding(
    rule: str,
    *,
    place: str,
    severity: Severity,
    count: int,
    removal: Removal,
    saving: Saving | None,
    confidence: Confidence,
    evidence: tuple[Evidence, ...],
    numbers: Numbers,
    sites: tuple[int, ...] = (),
) -> Finding:
    """A finding about the window or its steps; its fingerprint is that of the rule and the place.

    Args:
        rule: Code of the rule.
        place: The code that it is about; "" where it is about the whole window.
        severity: How bad it is.
        count: How many things of its kind there are.
        removal: What can be done with it.
        saving: What that wins; None where it is not a matter of time, or another finding has it.
        confidence: How sure it is.
        evidence: Where to look; their steps are those of the finding.
        numbers: Its figures.
        sites: The sites that take part.
    """
    steps = sorted({item.step for item in evidence if item.step is not None})
    return Finding(
        rule=rule,
        severity=severity,
        sites=sites,
        steps=tuple(steps),
        count=count,
        removal=removal,
        saving=saving,
        confidence=confidence,
        evidence=evidence[:_MAX_EVIDENCE],
        numbers=numbers,
        fingerprint=fingerprint(rule, "", place, ()),
    )


def idle_evidence(facts: Facts, idle: Intervals) -> tuple[Evidence, ...]:
    """Pieces of idle, longest first, each with the row of the device work that ended it."""
    length = idle.end_ns - idle.start_ns
    order = np.argsort(-length, kind="stable")
    start = idle.start_ns[order]
    ended_by = np.searchsorted(facts.work.start_ns, idle.end_ns[order], side="left")
    rows = facts.work.rows[np.minimum(ended_by, len(facts.work.rows) - 1)]
    return _evidence(facts, "idle", start, length[order], rows)


def row_evidence(facts: Facts, kind: str, rows: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    """Rows of the trace, longest first."""
    slices = facts.trace.slices
    rows = rows[np.argsort(-slices.duration_ns[rows], kind="stable")]
    return _evidence(facts, kind, slices.start_ns[rows], slices.duration_ns[rows], rows)


def _evidence(
    facts: Facts,
    kind: str,
    start_ns: npt.NDArray[np.int64],
    duration_ns: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
) -> tuple[Evidence, ...]:
    steps = facts.steps.index_of(start_ns).tolist()
    instants = (start_ns - facts.origin_ns).tolist()
    return tuple(
        Evidence(kind, start, duration, None if step == OUTSIDE else step, row)
        for start, duration, step, row in zip(
            instants, duration_ns.tolist(), steps, rows.tolist(), strict=True
        )
    )


def _longest(facts: Facts, members: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    episodes = facts.episodes
    wait = episodes.wait_ns[members]
    longest = members[np.argsort(-wait, kind="stable")[:_MAX_EVIDENCE]]
    origin = facts.origin_ns
    return tuple(
        Evidence(
            kind="wait",
            start_ns=int(episodes.start_ns[i]) - origin,
            duration_ns=int(episodes.wait_ns[i]),
            step=None if episodes.step[i] == OUTSIDE else int(episodes.step[i]),
            row=int(facts.calls.rows[episodes.first[i]]),
        )
        for i in longest.tolist()
    )
