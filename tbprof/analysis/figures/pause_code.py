"""What the host runs while the device waits for it at one place, or what it runs before and after."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s

_MOST = 0.5
_THEN = "\u203a"
"""Between operators that follow one another."""


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
    """The operator after whose end most of the time of the pauses begins; where the one at their end has the
    same name, with the one before it.
    """
    after: str
    """The one that begins at their end; likewise with the one after it."""
    between: int
    """How many of the pauses lie between these two."""
    between_share: float
    """The part of the pauses that lies between them, 0 to 1."""
    operators: int
    """How many operators run in the pauses."""
    most_often: str
    """The most frequent of them."""


def pause_code(facts: Facts, idle: Intervals) -> PauseCode:
    """What is known of the code in these pauses, which are in order."""
    slices, names, ops = facts.trace.slices, facts.trace.names, facts.top_ops
    held_ns = overlap_ns(idle, slices.start_ns[ops.rows], slices.end_of(ops.rows))
    name, most_ns = _largest(slices.name[ops.rows].astype(np.int64), held_ns, names.__getitem__)
    around = _around(facts, ops.rows, idle)
    inside = (held_ns > 0) & (ops.kernels == 0)
    each = np.ones(inside.sum(), np.int64)
    often, _ = _largest(slices.name[ops.rows[inside]].astype(np.int64), each, names.__getitem__)
    return PauseCode(
        largest=names[name] if most_ns else "",
        share=most_ns / max(total_ns(idle), 1),
        launches=int(held_ns[ops.kernels > 0].sum()) > _MOST * total_ns(idle),
        before=around.before,
        after=around.after,
        between=around.pauses,
        between_share=around.idle_ns / max(total_ns(idle), 1),
        operators=int(inside.sum()),
        most_often="" if often == NONE else names[often],
    )


def _largest(keys: Int64s, weights_ns: Int64s, name_of: Callable[[int], str]) -> tuple[int, int]:
    """The key with the largest sum of weights, and that sum; of equals the first by name.

    The keys themselves hang on the order of the rows in the file.
    """
    if not len(keys):
        return NONE, 0
    distinct_keys, at = np.unique(keys, return_inverse=True)
    sums_ns = np.zeros(len(distinct_keys), np.int64)
    np.add.at(sums_ns, at, weights_ns)
    most_ns = int(sums_ns.max())
    return min(distinct_keys[sums_ns == most_ns].tolist(), key=name_of), most_ns


@dataclass(frozen=True, slots=True)
class _Around:
    before: str = ""
    after: str = ""
    pauses: int = 0
    idle_ns: int = 0


def _around(facts: Facts, rows: Int64s, idle: Intervals) -> _Around:
    """The operators between which most of the time lies."""
    slices, names = facts.trace.slices, facts.trace.names
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    # A pause ends when the launch of the next operator does: that operator began before.
    last = np.searchsorted(slices.start_ns[rows], idle.end_ns, side="left") - 1
    first = np.searchsorted(slices.start_ns[rows], idle.start_ns, side="right") - 1
    within = np.flatnonzero((first >= 0) & (first < last))
    name = slices.name[rows].astype(np.int64)
    pairs = name[first[within]] * len(names) + name[last[within]]
    length_ns = (idle.end_ns - idle.start_ns)[within]
    pair, idle_ns = _largest(
        pairs, length_ns, lambda both: " ".join(names[one] for one in divmod(both, len(names)))
    )
    if pair == NONE:
        return _Around()
    before, after = (names[one] for one in divmod(pair, len(names)))
    if before == after:
        longest = within[np.argmax(np.where(pairs == pair, length_ns, NONE))]
        near = max(int(first[longest]) - 1, 0), min(int(last[longest]) + 1, len(rows) - 1)
        outer, inner = (names[name[at]] for at in near)
        before = before if outer == before else f"{outer} {_THEN} {before}"
        after = after if inner == after else f"{after} {_THEN} {inner}"
    return _Around(before, after, int((pairs == pair).sum()), idle_ns)
