"""Device rows that run longer beside communication than their like do without it."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import overlap_ns
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.columns import Int64s

__all__ = ["LEAST_SLOWER", "Slowed", "slowed_rows"]

LEAST_SLOWER = 0.1
"""Of what the rows beside communication take without it: below that it is noise."""

_ENOUGH = 3
"""Of a kind on either side, that a median says something."""
_BESIDE = 0.5
"""Of a row: from here on it ran beside communication."""


@dataclass(frozen=True, slots=True, eq=False)
class Slowed:
    """The rows beside communication that have their like without it, against the median of those."""

    at: Int64s
    """Positions in the device work."""
    ns: int
    alone_ns: int
    """What they would take without it."""

    @property
    def excess_ns(self) -> int:
        return self.ns - self.alone_ns

    @property
    def share(self) -> float:
        return self.excess_ns / max(self.alone_ns, 1)


def slowed_rows(facts: Facts, at: Int64s, kind: Int64s) -> Slowed:
    """Compare rows of one kind.

    Args:
        facts: Of the window.
        at: Positions in the device work.
        kind: Of each a number from 0 on; what has the same one does the same work.
    """
    length = (facts.work.end_ns - facts.work.start_ns)[at]
    covered = _beside_communication_ns(facts, at)
    beside = (covered >= _BESIDE * length) & (length > 0)
    alone = (covered == 0) & (length > 0)
    kinds = int(kind.max()) + 1 if len(kind) else 0
    enough = np.bincount(kind[beside], minlength=kinds) >= _ENOUGH
    enough &= np.bincount(kind[alone], minlength=kinds) >= _ENOUGH
    usual = np.zeros(kinds, np.int64)
    for number in np.flatnonzero(enough).tolist():
        usual[number] = int(np.median(length[alone & (kind == number)]))
    mine = np.flatnonzero(beside & enough[kind])
    return Slowed(at[mine], int(length[mine].sum()), int(usual[kind[mine]].sum()))


def _beside_communication_ns(facts: Facts, at: Int64s) -> Int64s:
    work = facts.work
    covered = np.zeros(len(at), np.int64)
    for device, pieces in facts.parts.communication.items():
        mine = work.device[at] == device
        covered[mine] = overlap_ns(pieces, work.start_ns[at[mine]], work.end_ns[at[mine]])
    return covered
