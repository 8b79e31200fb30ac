"""To which part of the program each moment of the host, and each launch, belongs.

It is the innermost range around it that is a part's own, or work of autograd's for one. A part that autograd
runs again, as activation checkpointing does, is the part of its forward pass; so is what autograd runs for
an operator of a part. An optimizer's closure holds modules that are none of the optimizer's.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.facts import Facts
from tbprof.analysis.modules.backward import Backward, find_backward
from tbprof.analysis.modules.labels import AFTER, BEFORE, BETWEEN, COMMUNICATION, GRADIENTS, LOSS, PartLabel
from tbprof.analysis.modules.part_ranges import PartRanges, part_ranges
from tbprof.analysis.operators.host_tree import climbed
from tbprof.analysis.ranges.paths import merge_paths
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, lookup
from tbprof.trace.columns.columns import Category

_REDUCER = r"torch\.distributed\.ddp\.reducer::"
"""What DistributedDataParallel does with its buckets."""

ROOT = 0
"""The node of what belongs to no part."""
NAMELESS = (LOSS, COMMUNICATION, BEFORE, BETWEEN, GRADIENTS, AFTER)
"""What no range of the trace has the name of."""


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """Parts as nodes of a tree, each behind its parent, and the ranges that belong to them.

    The last nodes are those of `NAMELESS`.
    """

    parent: Int64s
    """Of each node, `NONE` of the root, which has no label."""
    labels: tuple[PartLabel | None, ...]
    nest: Nest
    node: Int64s
    """Of each position of the nest."""
    is_backward: npt.NDArray[np.bool_]
    is_part: npt.NDArray[np.bool_]
    """Whether it is a call of the part, and no work of autograd's for it."""
    around: Int64s
    """Position of the range around each, or `NONE`."""

    def node_of(self, label: PartLabel) -> int:
        """Of one of `NAMELESS`."""
        return len(self.labels) - len(NAMELESS) + NAMELESS.index(label)


def find_owners(facts: Facts) -> Owners:
    """Of the whole trace."""
    slices, parts, backward = facts.trace.slices, part_ranges(facts), find_backward(facts)
    tree = _PartTree(facts, parts, backward)
    loss = _loss_rows(facts, tree, backward)
    reducer = matching_rows(facts.trace, _REDUCER, Category.CPU_OP)
    nest = Nest.of(slices, distinct(np.concatenate([parts.rows, backward.rows, loss, reducer])))
    around = nest.parents()
    part = lookup(parts.rows, np.arange(len(parts.rows)), nest.rows)
    root = lookup(backward.rows, np.arange(len(backward.rows)), nest.rows)
    labels: list[PartLabel | None] = [
        None if key == NONE else parts.labels[key] for key in tree.paths.name.tolist()
    ]
    of_loss, of_communication = (len(labels) + NAMELESS.index(one) for one in (LOSS, COMMUNICATION))
    node = np.where(is_among(nest.rows, reducer), of_communication, of_loss)
    node[part != NONE] = tree.paths.node[part[part != NONE]]
    mine = root[root != NONE]
    home, outer = tree.home[mine], backward.outer[mine]
    of_part = np.where(is_among(outer, loss), of_loss, ROOT)
    of_part[home != NONE] = tree.paths.node[home[home != NONE]]
    node[root != NONE] = of_part
    return Owners(
        parent=np.append(tree.paths.parent, [ROOT] * len(NAMELESS)),
        labels=(*labels, *NAMELESS),
        nest=nest,
        node=node,
        is_backward=climbed(np.where(root != NONE, np.arange(len(root)), around), root != NONE) != NONE,
        is_part=part != NONE,
        around=around,
    )


class _PartTree:
    """Calls of parts as they enclose each other; positions index `PartRanges`."""

    def __init__(self, facts: Facts, parts: PartRanges, backward: Backward) -> None:
        self._slices = facts.trace.slices
        self._parts = parts
        self._nest = Nest.of(self._slices, parts.rows)
        self._position = np.searchsorted(parts.rows, self._nest.rows)
        self.is_module = np.array([label.kind == "module" for label in parts.labels], np.bool_)[parts.key]
        roots = Nest.of(self._slices, backward.rows)
        lane, start = self._slices.lane[parts.rows].astype(np.int64), self._slices.start_ns[parts.rows]
        self._root = roots.innermost(lane, start, self._slices.end_of(parts.rows))
        self._root[self._root != NONE] = np.searchsorted(
            backward.rows, roots.rows[self._root[self._root != NONE]]
        )
        self.home = self._homes(backward)
        """Of each of autograd's the part of its forward operator."""
        self.parents = self._parents()
        self.paths = merge_paths(parts.key, self.parents)

    def _homes(self, backward: Backward) -> Int64s:
        """What one of autograd's recorded in no part is that one's part's."""
        home = self._of(backward.forward)
        again = backward.recorded_in
        is_own = again == NONE
        known = np.flatnonzero(home != NONE)
        is_own[known] |= self._root[home[known]] != NONE
        at = climbed(np.where(is_own, np.arange(len(home)), again), is_own)
        return np.where(at == NONE, NONE, home[np.maximum(at, 0)])

    def _of(self, rows: Int64s) -> Int64s:
        """The innermost part around each row; `NONE` stays `NONE`."""
        found, slices = np.full(len(rows), NONE, np.int64), self._slices
        known = np.flatnonzero(rows != NONE)
        mine = rows[known]
        at = self._nest.innermost(
            slices.lane[mine].astype(np.int64), slices.start_ns[mine], slices.end_of(mine)
        )
        found[known[at != NONE]] = self._position[at[at != NONE]]
        return found

    def _parents(self) -> Int64s:
        """Of each call that of the part it lies in, `NONE` for the outermost."""
        nest, key, is_module = self._nest, self._parts.key, self.is_module
        around = nest.parents()
        parents = np.full(len(nest.rows), NONE, np.int64)
        parents[self._position[around != NONE]] = self._position[around[around != NONE]]
        kinds = np.array([label.kind == "optimizer" for label in self._parts.labels], np.bool_)[key]
        parents[is_module & (parents != NONE) & kinds[np.maximum(parents, 0)]] = NONE
        inside = self._root != NONE
        again = np.flatnonzero(inside & ~((parents != NONE) & inside[np.maximum(parents, 0)]))
        forward = np.flatnonzero(~inside & is_module)
        first = lookup(key[forward], forward, key[again])
        home = self.home[self._root[again]]
        home = np.where((home != NONE) & ~inside[np.maximum(home, 0)], home, NONE)
        parents[again] = np.where(first != NONE, parents[np.maximum(first, 0)], home)
        return parents

    def ends_of_outermost(self) -> Int64s:
        """When calls of modules that lie in no part ended in the forward pass, ascending."""
        outermost = self.is_module & (self.parents == NONE) & (self._root == NONE)
        return np.sort(self._slices.end_of(self._parts.rows[outermost]))


def _loss_rows(facts: Facts, tree: _PartTree, backward: Backward) -> Int64s:
    """Outermost operators for which autograd runs something, in no part and behind a module of their step.

    With them what `backward()` begins with.
    """
    rows = distinct(backward.outer[(backward.outer != NONE) & (tree.home == NONE)])
    ends = tree.ends_of_outermost()
    if len(ends) == 0:
        return rows[:0]
    start = facts.trace.slices.start_ns[rows]
    before = np.searchsorted(ends, start, side="right") - 1
    same = facts.steps.index_of(ends[before] - 1) == facts.steps.index_of(start)
    return np.concatenate([rows[(before >= 0) & same], backward.seeds])
