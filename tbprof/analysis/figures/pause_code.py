"""What the host runs while the device waits for it at one place, or what it runs before and after."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

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
    held_ns = overlap_ns(idle, slices.start_ns[ops.rows], slices.end_of(ops.rows))
    name, most_ns = _largest(slices.name[ops.rows].astype(np.int64), held_ns)
    (before, after), between = _around(facts, ops.rows, idle)
    return PauseCode(
        largest=names[name] if most_ns else "",
        share=most_ns / max(total_ns(idle), 1),
        launches=int(held_ns[ops.kernels > 0].sum()) > _MOST * total_ns(idle),
        before=before,
        after=after,
        between=between,
    )


def _largest(keys: Int64s, weights_ns: Int64s) -> tuple[int, int]:
    """The key with the largest sum of weights, and that sum; of equals the least."""
    if not len(keys):
        return NONE, 0
    distinct_keys, at = np.unique(keys, return_inverse=True)
    sums_ns = np.zeros(len(distinct_keys), np.int64)
    np.add.at(sums_ns, at, weights_ns)
    largest = int(np.argmax(sums_ns))
    return int(distinct_keys[largest]), int(sums_ns[largest])


def _around(facts: Facts, rows: Int64s, idle: Intervals) -> tuple[tuple[str, str], int]:
    """The operators between which most of the time lies, and how many of the pauses."""
    slices, names = facts.trace.slices, facts.trace.names
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    # A pause ends when the launch of the next operator does: that operator began before.
    last = np.searchsorted(slices.start_ns[rows], idle.end_ns, side="left") - 1
    first = np.searchsorted(slices.start_ns[rows], idle.start_ns, side="right") - 1
    within = (first >= 0) & (first < last)
    name = slices.name[rows].astype(np.int64)
    pairs = name[first[within]] * len(names) + name[last[within]]
    pair, _ = _largest(pairs, (idle.end_ns - idle.start_ns)[within])
    if pair == NONE:
        return ("", ""), 0
    before, after = divmod(pair, len(names))
    return (names[before], names[after]), int((pairs == pair).sum())
