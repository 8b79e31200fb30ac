"""What the ranges of each part cost: the figures of a tree of modules.

Device time is that of kernels, copies and memsets, whatever ran beside them on another stream. It belongs
to the part that launched them; that of collectives which no part's forward pass launched is apart. Host time
is that of the thread that carries the steps, with what autograd's threads did for it. What that thread does
between parts belongs to its place there, if that has a name, else to the root, so that the nodes' own figures
add up to those of the steps; work whose launch is not recorded belongs to no step.

What lies between the parts of a step, by what it stands before and after.

It is named by its place alone, whatever is computed there: before the modules run batches are prepared,
between them one hands something to the next, such as the mixed samples of a GAN's penalty, between them and
`backward()` the loss is computed, before the optimizer's step gradients are clipped, after it averages and
metrics are kept. What lies elsewhere has no name.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.module_owners import ROOT, Owners
from tbprof.analysis.figures.part_labels import (
    AFTER,
    BEFORE,
    BETWEEN,
    COMMUNICATION,
    GRADIENTS,
    LOSS,
    PartLabel,
)
from tbprof.analysis.figures.program_ranges import backward_threads, main_thread
from tbprof.analysis.intervals import (
    NEVER,
    Intervals,
    complement,
    intersect,
    overlap_ns,
    total_ns,
    union,
)
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among


@dataclass(frozen=True, slots=True)
class PartCost:
    calls: int
    """In the forward pass; what autograd runs again is none."""
    host_forward_ns: int
    host_backward_ns: int
    device_forward_ns: int
    device_backward_ns: int
    launches_forward: int
    """Calls that launched work."""
    launches_backward: int
    idle_ns: int
    """Idle of the busiest device in the steps, while the host was in it."""
    wait_ns: int
    """In sync points within it."""

    @property
    def host_ns(self) -> int:
        return self.host_forward_ns + self.host_backward_ns

    @property
    def device_ns(self) -> int:
        return self.device_forward_ns + self.device_backward_ns

    @property
    def launches(self) -> int:
        return self.launches_forward + self.launches_backward


FIGURES = tuple(field.name for field in fields(PartCost))
_AT = {name: at for at, name in enumerate(FIGURES)}


@dataclass(frozen=True, slots=True, eq=False)
class PartFigures:
    own: Int64s
    """A row a node, of what lies in no node within it, and a column for each field of `PartCost`."""
    work: Int64s
    """Positions in `Facts.work` of what was counted."""
    node_of_work: Int64s


def part_figures(facts: Facts, owners: Owners, steps: Int64s | None) -> PartFigures:
    """The figures of each node.

    Args:
        facts: Of the window.
        owners: Of the same.
        steps: Indices of those that count; None for the whole trace.
    """
    counted = _Counted(facts, steps)
    places = _Places(facts, owners)
    own = np.zeros((len(owners.parent), len(FIGURES)), np.int64)
    work, node = _add_work(facts, places, counted, own)
    _add_host(facts, places, counted, own)
    _add_waits(facts, places, counted, own)
    return PartFigures(own, work, node)


class _Places:
    """What calls belong to."""

    def __init__(self, facts: Facts, owners: Owners) -> None:
        self.owners = owners
        self.between = between_parts(facts, owners)
        self._main = main_thread(facts)

    def around(self, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> tuple[Int64s, Int64s, Int64s]:
        """For each call the position of the owner's range around it, the node, and 1 in the backward pass.

        The root for no range and no place with a name.
        """
        at = self.owners.nest.innermost(lane, start_ns, end_ns)
        node, is_backward = np.full(len(at), ROOT, np.int64), np.zeros(len(at), np.int64)
        known = at != NONE
        node[known] = self.owners.node[at[known]]
        is_backward[known] = self.owners.is_backward[at[known]]
        for label, spans in self.between.items():
            inside = overlap_ns(spans, start_ns, start_ns + 1) > 0
            node[inside & ~known & (lane == self._main)] = self.owners.node_of(label)
        return at, node, is_backward


class _Counted:
    """What of a window counts."""

    def __init__(self, facts: Facts, steps: Int64s | None) -> None:
        self._facts, self._steps = facts, steps
        self.in_steps = steps is not None
        self.lanes = [lane for lane in (main_thread(facts), *backward_threads(facts)) if lane is not None]
        slices = facts.trace.slices
        self.host, self.idle = NEVER, NEVER
        if steps is None:
            mine = np.flatnonzero(is_among(slices.lane, self.lanes))
            start, end = slices.start_ns[mine], slices.end_of(mine)
            if len(mine):
                self.host = union(start.min(keepdims=True), end.max(keepdims=True))
        elif self.lanes:
            self.host = union(facts.steps.start_ns[steps], facts.steps.end_ns[steps])
        main = facts.work.main_device
        if main is not None:
            self.idle = facts.idle.gaps[main]
            if steps is not None:
                inside = union(facts.steps.gpu_start_ns[steps], facts.steps.gpu_end_ns[steps])
                self.idle = intersect(self.idle, inside)

    def holds(self, instants: Int64s) -> Int64s:
        """Positions of those that count."""
        if self._steps is None:
            return np.arange(len(instants))
        return np.flatnonzero(is_among(self._facts.steps.index_of(instants), self._steps))


def _add_work(facts: Facts, places: _Places, counted: _Counted, own: Int64s) -> tuple[Int64s, Int64s]:
    work, slices = facts.work, facts.trace.slices
    chosen = counted.holds(work.launch_start_ns)
    if counted.in_steps:
        chosen = chosen[work.launch[chosen] != NONE]
    at, node, backward = (np.full(len(chosen), empty, np.int64) for empty in (NONE, ROOT, 0))
    launched = np.flatnonzero(work.launch[chosen] != NONE)
    calls = work.launch[chosen[launched]]
    at[launched], node[launched], backward[launched] = places.around(
        slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls)
    )
    aside = facts.parts.is_communication[chosen] & ((at == NONE) | (backward == 1))
    node[aside], backward[aside] = places.owners.node_of(COMMUNICATION), 0
    length = (work.end_ns - work.start_ns)[chosen]
    np.add.at(own, (node, _AT["device_forward_ns"] + backward), length)
    first = launched[np.unique(calls, return_index=True)[1]]
    np.add.at(own, (node[first], _AT["launches_forward"] + backward[first]), 1)
    return chosen, node


def _add_host(facts: Facts, places: _Places, counted: _Counted, own: Int64s) -> None:
    slices, owners, rows = facts.trace.slices, places.owners, places.owners.nest.rows
    start, end = slices.start_ns[rows], slices.end_of(rows)
    mine = is_among(slices.lane[rows], counted.lanes)
    for name, spans in (("host_forward_ns", counted.host), ("idle_ns", counted.idle)):
        length = _own_ns(np.where(mine, overlap_ns(spans, start, end), 0), owners.around)
        is_apart = owners.is_backward & (name == "host_forward_ns")
        np.add.at(own, (owners.node, _AT[name] + is_apart.astype(np.int64)), length)
        rest = total_ns(spans) - int(length.sum())
        for label, between in places.between.items():
            inside = total_ns(intersect(spans, between))
            own[owners.node_of(label), _AT[name]] += inside
            rest -= inside
        own[ROOT, _AT[name]] += max(rest, 0)
    begun = counted.holds(start)
    begun = begun[owners.is_part[begun] & ~owners.is_backward[begun]]
    np.add.at(own[:, _AT["calls"]], owners.node[begun], 1)


def _own_ns(length: Int64s, around: Int64s) -> Int64s:
    own: Int64s = length.copy()
    inside = np.flatnonzero(around != NONE)
    np.subtract.at(own, around[inside], length[inside])
    return own


def _add_waits(facts: Facts, places: _Places, counted: _Counted, own: Int64s) -> None:
    calls, episodes = facts.calls, facts.episodes
    waits = np.flatnonzero(episodes.blocking)
    first = episodes.first[waits]
    kept = counted.holds(calls.start_ns[first])
    first = first[kept]
    _, node, _ = places.around(calls.lane[first].astype(np.int64), calls.start_ns[first], calls.end_ns[first])
    np.add.at(own[:, _AT["wait_ns"]], node, episodes.wait_ns[waits[kept]])


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
"""Places by what ends before them and what begins after them: a batch may be prepared after a backward pass,
too."""

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
    after = kinds[np.searchsorted(begun, free.end_ns, side="left")]
    found = {}
    for label in dict.fromkeys(_PLACES.values()):
        pairs = [pair for pair, place in _PLACES.items() if place is label]
        mine = np.logical_or.reduce([(before == one) & (after == other) for one, other in pairs])
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
    """The edges of the steps; of a step that overlaps an earlier one only what comes after that."""
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
