"""What the host runs while the device waits for it at one place, or what it runs before and after."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

_MOST = 0.5


@dataclass(frozen=True, slots=True)
class PauseCode:
    """Names are "" where no operator was recorded there."""

    largest: str
    """The operator that holds most of the pauses."""
    share: float
    """Its part of them, 0 to 1."""
    launches: bool
    """Whether most of the pauses lie in operators that are slow to launch their work."""
    before: str
    """The operator after whose end most of the time of the pauses begins."""
    after: str
    """The one that begins at their end."""
    between: int
    """How many of the pauses lie between these two."""


def pause_code(facts: Facts, idle: Intervals) -> PauseCode:
    """What is known of the code in these pauses, which are in order."""
    slices, names, ops = facts.trace.slices, facts.trace.names, facts.top_ops
    held = overlap_ns(idle, slices.start_ns[ops.rows], slices.end_of(ops.rows))
    spent: Counter[str] = Counter()
    launching_ns = 0
    for at in np.flatnonzero(held).tolist():
        name = names[int(slices.name[ops.rows[at]])]
        spent[name] += int(held[at])
        launching_ns += int(held[at]) if ops.kernels[at] else 0
    largest, most_ns = max(spent.items(), key=lambda one: (one[1], one[0]), default=("", 0))
    (before, after), between = _around(facts, ops.rows, idle)
    return PauseCode(
        largest=largest,
        share=most_ns / max(total_ns(idle), 1),
        launches=launching_ns > _MOST * total_ns(idle),
        before=before,
        after=after,
        between=between,
    )


def _around(facts: Facts, rows: Int64s, idle: Intervals) -> tuple[tuple[str, str], int]:
    """The operators between which most of the time lies, and how many of the pauses."""
    slices, names = facts.trace.slices, facts.trace.names
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    spent: Counter[tuple[str, str]] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    # A pause ends when the launch of the next operator does: that operator began before.
    last = np.searchsorted(slices.start_ns[rows], idle.end_ns, side="left") - 1
    first = np.searchsorted(slices.start_ns[rows], idle.start_ns, side="right") - 1
    for before, after, length in zip(first, last, idle.end_ns - idle.start_ns, strict=True):
        if 0 <= before < after:
            pair = (names[int(slices.name[rows[before]])], names[int(slices.name[rows[after]])])
            spent[pair] += int(length)
            counts[pair] += 1
    pair = max(spent, key=lambda one: (spent[one], one), default=("", ""))
    return pair, counts[pair]
