"""Device rows that run longer beside communication than their like do without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import distinct_lines, overlap_ns
from tbprof.model import MEDIUM_SHARE, Finding, Saving
from tbprof.records import dataclass
from tbprof.rules.base.evidence import row_evidence
from tbprof.rules.base.findings import window_finding
from tbprof.rules.base.severity import severity_of_transfer
from tbprof.rules.communication.words import SlowedCopies, SlowedKernels
from tbprof.trace.columns.arrays import Int64s, median

_Kind: TypeAlias = tuple[str, type[SlowedCopies] | type[SlowedKernels]]

_LEAST_SLOWER = 0.1
"""The share of what the rows beside communication take without it: below that it is noise."""

_ENOUGH = 3
"""The number of a kind on either side from which a median says something."""
_BESIDE = 0.5
"""The share of a row from which it ran beside communication."""


@dataclass(frozen=True, slots=True, eq=False)
class _Slowed:
    """The rows beside communication that have their like without it, against the median of those."""

    at: Int64s
    """Positions in the device work."""
    ns: int
    alone_ns: int
    """What they would take without it."""
    others_ns: int
    """How long rows that can't be compared, or hardly overlap it, ran beside communication."""

    @property
    def excess_ns(self) -> int:
        return self.ns - self.alone_ns

    @property
    def share(self) -> float:
        return self.excess_ns / max(self.alone_ns, 1)

    @property
    def won_ns(self) -> int:
        """At most: the others are taken to be slowed as much as these."""
        return self.excess_ns + round(self.others_ns * self.share / (1 + self.share))


def find_slowed(
    facts: Facts, code: str, of: _Kind, at: Int64s, alike: Int64s, among: Int64s
) -> Iterator[Finding]:
    """The finding that rows take longer beside communication than their like without it, where they do.

    Args:
        facts: Of the window.
        code: Of the rule.
        of: What a row is called in the evidence, and the record of the rule.
        at: Positions in the device work.
        alike: A line each; what has the same one does the same work.
        among: All that may be slowed down alike, these and those of which nothing is known.
    """
    slowed = _slowed_rows(facts, at, distinct_lines(alike)[1], among)
    is_much = slowed.excess_ns >= MEDIUM_SHARE * facts.steps.total_ns > 0
    if is_much and slowed.share >= _LEAST_SLOWER:
        yield _finding(facts, code, of, slowed)


def _finding(facts: Facts, code: str, of: _Kind, slowed: _Slowed) -> Finding:
    one, record = of
    seen, won = (
        Saving(floor_ns=0, estimate_ns=None, ceiling_ns=ns) for ns in (slowed.excess_ns, slowed.won_ns)
    )
    return window_finding(
        code,
        place="",
        severity=severity_of_transfer(facts, seen),
        count=len(slowed.at),
        removal="rewrite",
        saving=won,
        confidence="medium",
        evidence=row_evidence(facts, one, facts.work.rows[slowed.at]),
        figures=record(
            round(len(slowed.at) / len(facts.steps), 1),
            longer_per_step_ns=slowed.excess_ns // len(facts.steps),
            longer_share=slowed.share,
        ),
    )


def _slowed_rows(facts: Facts, at: Int64s, kind: Int64s, among: Int64s) -> _Slowed:
    """The rows of kinds that are there often enough on either side; `kind` counts from 0 on."""
    length = (facts.work.end_ns - facts.work.start_ns)[at]
    covered = _beside_communication_ns(facts, at)
    beside = (covered >= _BESIDE * length) & (length > 0)
    alone = (covered == 0) & (length > 0)
    kinds = int(kind.max()) + 1 if len(kind) else 0
    enough = np.bincount(kind[beside], minlength=kinds) >= _ENOUGH
    enough &= np.bincount(kind[alone], minlength=kinds) >= _ENOUGH
    usual = np.zeros(kinds, np.int64)
    for number in np.flatnonzero(enough).tolist():
        usual[number] = int(median(length[alone & (kind == number)]))
    compared = beside & enough[kind]
    mine = np.flatnonzero(compared)
    others_ns = int(_beside_communication_ns(facts, among).sum()) - int(covered[compared].sum())
    return _Slowed(at[mine], int(length[mine].sum()), int(usual[kind[mine]].sum()), others_ns)


def _beside_communication_ns(facts: Facts, at: Int64s) -> Int64s:
    work = facts.work
    covered = np.zeros(len(at), np.int64)
    for device, pieces in facts.parts.communication.items():
        mine = work.device[at] == device
        covered[mine] = overlap_ns(pieces, work.start_ns[at[mine]], work.end_ns[at[mine]])
    return covered
