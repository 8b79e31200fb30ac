"""What lies between the parts of a step, told apart by what it stands before and behind.

It is named by its place alone, whatever is computed there: before the modules run batches are prepared,
between them one hands something to the next, such as the mixed samples of a GAN's penalty, between them and
`backward()` the loss is computed, before the optimizer's step gradients are clipped, behind it averages and
metrics are kept. What lies elsewhere has no name.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import NEVER, Intervals, complement, union
from tbprof.analysis.facts import Facts
from tbprof.analysis.modules.labels import AFTER, BEFORE, BETWEEN, GRADIENTS, LOSS, PartLabel
from tbprof.analysis.modules.owners import Owners
from tbprof.analysis.ranges.program_ranges import backward_threads, main_thread
from tbprof.trace.columns.arrays import NONE, Int64s, is_among

_EDGE, _MODULE, _BACKWARD, _OPTIMIZER, _LOSS, _COMPILED = range(6)
"""What a place can lie between: an edge of its step, or a part. What lies beside compiled code may be more of
the model, and has no name."""

_PLACES = {
    (_EDGE, _MODULE): BEFORE,
    (_OPTIMIZER, _MODULE): BEFORE,
    (_BACKWARD, _MODULE): BEFORE,
    (_MODULE, _MODULE): BETWEEN,
    (_LOSS, _MODULE): BETWEEN,
    (_MODULE, _LOSS): LOSS,
    (_MODULE, _BACKWARD): LOSS,
    (_LOSS, _LOSS): LOSS,
    (_LOSS, _BACKWARD): LOSS,
    (_BACKWARD, _LOSS): LOSS,
    (_BACKWARD, _OPTIMIZER): GRADIENTS,
    (_MODULE, _EDGE): AFTER,
    (_BACKWARD, _EDGE): AFTER,
    (_OPTIMIZER, _EDGE): AFTER,
    (_LOSS, _EDGE): AFTER,
}
"""By what ends before it and what begins behind it: behind a backward pass, too, a batch may be prepared."""

_KINDS = {
    "module": _MODULE,
    "compiled": _COMPILED,
    "graph": _COMPILED,
    "optimizer": _OPTIMIZER,
    "loss": _LOSS,
}


def between_parts(facts: Facts, owners: Owners) -> dict[PartLabel, Intervals]:
    """When the thread that carries the steps was at each of these places; none without modules."""
    begun, kinds = _marks(facts, owners)
    if not (kinds == _MODULE).any():
        return {}
    free = _free(facts, owners)
    before = kinds[np.searchsorted(begun, free.start_ns, side="right") - 1]
    behind = kinds[np.searchsorted(begun, free.end_ns, side="left")]
    found = {}
    for label in dict.fromkeys(_PLACES.values()):
        pairs = [pair for pair, place in _PLACES.items() if place is label]
        mine = np.logical_or.reduce([(before == one) & (behind == other) for one, other in pairs])
        found[label] = union(free.start_ns[mine], free.end_ns[mine])
    return found


def _free(facts: Facts, owners: Owners) -> Intervals:
    """What of each step no part covers, step by step."""
    slices, (starts, ends) = facts.trace.slices, _edges(facts)
    rows = owners.nest.rows[_outermost(facts, owners)]
    covered = union(slices.start_ns[rows], slices.end_of(rows))
    free = [complement(covered, *step) for step in zip(starts.tolist(), ends.tolist(), strict=True)]
    return Intervals(
        np.concatenate([NEVER.start_ns, *(one.start_ns for one in free)]),
        np.concatenate([NEVER.end_ns, *(one.end_ns for one in free)]),
    )


def _edges(facts: Facts) -> tuple[Int64s, Int64s]:
    """Of the steps; of one that overlaps an earlier one what lies behind that."""
    start, end = facts.steps.start_ns, np.maximum.accumulate(facts.steps.end_ns)
    return np.maximum(start, np.concatenate([start[:1], end[:-1]])), end


def _outermost(facts: Facts, owners: Owners) -> Int64s:
    """Positions of ranges that lie in no other one, on the threads of the steps and of autograd."""
    lanes = [lane for lane in (main_thread(facts), *backward_threads(facts)) if lane is not None]
    lane = facts.trace.slices.lane[owners.nest.rows]
    return np.flatnonzero((owners.around == NONE) & is_among(lane, lanes))


def _marks(facts: Facts, owners: Owners) -> tuple[Int64s, Int64s]:
    """When parts and edges begin, ascending, and what they are; an edge comes first."""
    at = _outermost(facts, owners)
    of_node = np.array([_kind(label) for label in owners.labels], np.int64)
    kinds = np.where(owners.is_backward[at], _BACKWARD, of_node[owners.node[at]])
    begun = facts.trace.slices.start_ns[owners.nest.rows[at]]
    edges = np.concatenate(_edges(facts))
    begun = np.concatenate([begun[kinds != NONE], edges])
    kinds = np.concatenate([kinds[kinds != NONE], np.full(len(edges), _EDGE)])
    order = np.lexsort((kinds, begun))
    return begun[order], kinds[order]


def _kind(label: PartLabel | None) -> int:
    """`NONE` of what may lie anywhere: gradients set to zero, communication."""
    if label is None or label.name.endswith(".zero_grad"):
        return NONE
    return _KINDS.get(label.kind, NONE)
