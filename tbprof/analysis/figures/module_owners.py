"""To which part of the program each moment of the host, and each launch, belongs.

It is the innermost range around it that is a part's own, or work of autograd's for one. A part that autograd
runs again, as activation checkpointing does, is the part of its forward pass; so is what autograd runs for
an operator of a part. An optimizer's closure holds modules that are none of the optimizer's.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.host_tree import climbed
from tbprof.analysis.figures.operators import Operators, find_operators, forward_calls
from tbprof.analysis.figures.part_labels import (
    AFTER,
    BEFORE,
    BETWEEN,
    COMMUNICATION,
    GRADIENTS,
    LOSS,
    PartLabel,
    PartRanges,
    part_ranges,
)
from tbprof.analysis.figures.program_ranges import merge_paths
from tbprof.analysis.names import match, matching_rows
from tbprof.analysis.nesting import Nest
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
    """Parts as nodes of a tree, each after its parent, and the ranges that belong to them.

    The last nodes are those of `NAMELESS`.
    """

    parent: Int64s
    """The parent of each node, `NONE` for the root, which has no label."""
    labels: tuple[PartLabel | None, ...]
    nest: Nest
    node: Int64s
    """The node of each position of the nest."""
    is_backward: npt.NDArray[np.bool_]
    is_part: npt.NDArray[np.bool_]
    """Whether it is a call of the part, and no work of autograd's for it."""
    around: Int64s
    """Position of the range around each, or `NONE`."""

    def node_of(self, label: PartLabel) -> int:
        """The node of one of `NAMELESS`."""
        return len(self.labels) - len(NAMELESS) + NAMELESS.index(label)


def find_owners(facts: Facts) -> Owners:
    """The owners of the whole trace."""
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
        """For each of autograd's ranges the part of its forward operator."""
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
        """For each call the part that it lies in, `NONE` for the outermost."""
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
    """Outermost operators for which autograd runs something, in no part and after a module of their step.

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


_ENGINE = r"autograd::engine::|torch::autograd::AccumulateGrad"
_ENGINE_CALL = r"autograd::engine::evaluate_function"
_ACCUMULATING = r"(?:autograd::engine::evaluate_function: )?torch::autograd::AccumulateGrad"
_SEED = r"aten::ones_like\Z"


@dataclass(frozen=True, slots=True, eq=False)
class Backward:
    """The functions that autograd runs, one entry each: the outermost operators, and those for which
    autograd runs in one of them, as reentrant checkpointing does.
    """

    rows: Int64s
    """Rows of the trace, ascending."""
    forward: Int64s
    """Row of the forward operator of each; `NONE` where it is not known."""
    outer: Int64s
    """Row of the outermost operator around that one, itself where none is; of what was recorded in another
    function that one's."""
    recorded_in: Int64s
    """Index of the function that recorded that operator, or `NONE`: it computed again, or is to be
    differentiated again. It began earlier."""
    seeds: Int64s
    """Rows of the operators that made the gradient of a loss for itself, which is 1."""


def find_backward(facts: Facts) -> Backward:
    """A gradient's accumulation belongs to the function that autograd ran before it on its thread.

    Torch gives it no number. Autograd runs it as soon as a parameter's gradient is complete, so that what ran
    before it is the function that completed it.
    """
    operators = facts.once(find_operators)
    is_backward, forward = forward_calls(facts.trace, operators, with_engine=True)
    slices = facts.trace.slices
    is_backward = is_backward | match(facts.trace, operators.rows, _ENGINE)
    roots = _roots(facts, operators, is_backward, forward)
    order = np.argsort(operators.rows[roots], kind="stable")
    own = np.where(match(facts.trace, operators.rows[roots], _ACCUMULATING), NONE, forward[roots])
    known = _filled(slices.lane[operators.rows[roots]].astype(np.int64), own)[order]
    found, at = known != NONE, np.maximum(known, 0)
    root_of = np.full(len(operators), NONE, np.int64)
    root_of[roots[order]] = np.arange(len(roots))
    around = climbed(np.where(root_of != NONE, np.arange(len(root_of)), operators.parent), root_of != NONE)
    recorded_in = np.where(found & (around[at] != NONE), root_of[around[at]], NONE)
    is_first = recorded_in == NONE
    first = climbed(np.where(is_first, np.arange(len(roots)), recorded_in), is_first)
    return Backward(
        rows=operators.rows[roots][order],
        forward=np.where(found, operators.rows[at], NONE),
        outer=np.where(found, operators.rows[_outermost(operators)[at]], NONE)[first],
        recorded_in=recorded_in,
        seeds=_seeds(facts, operators, roots),
    )


def _roots(facts: Facts, operators: Operators, is_backward: npt.NDArray[np.bool_], forward: Int64s) -> Int64s:
    """Positions of the functions: within another one those that belong to another forward operator."""
    around = np.maximum(operators.parent, 0)
    is_inner = (operators.parent != NONE) & is_backward[around]
    is_own = (forward != NONE) & (forward != forward[around])
    is_called = match(facts.trace, operators.rows, _ENGINE_CALL)
    return np.flatnonzero(is_backward & (~is_inner | is_own | is_called))


def _seeds(facts: Facts, operators: Operators, roots: Int64s) -> Int64s:
    """What is made right before autograd begins; it runs where `backward()` is called."""
    slices = facts.trace.slices
    outer = np.flatnonzero(operators.parent == NONE)
    outer = outer[np.argsort(slices.start_ns[operators.rows[outer]], kind="stable")]
    is_seed = match(facts.trace, operators.rows[outer], _SEED)
    begins = np.append(is_among(outer, roots)[1:], False)
    return np.sort(operators.rows[outer[is_seed & begins & ~is_among(outer, roots)]])


def _filled(lane: Int64s, forward: Int64s) -> Int64s:
    """Where there is none that of the entry before it on its lane; operators ascend by lane and start."""
    if len(forward) == 0:
        return forward
    last = np.maximum.accumulate(np.where(forward != NONE, np.arange(len(forward)), 0))
    return np.where(lane[last] == lane, forward[last], NONE)


def _outermost(operators: Operators) -> Int64s:
    at = np.arange(len(operators))
    while (inside := np.flatnonzero(operators.parent[at] != NONE)).size:
        at[inside] = operators.parent[at[inside]]
    return at
