"""Ranges of the program as they enclose each other, and those of autograd's threads what called `backward()`.

`backward()` runs on a thread of autograd's while the thread that called it does nothing but wait: what
encloses an instant on that one encloses the call of `backward()`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tbprof.analysis.attribution.annotations import label_rows, module_rows
from tbprof.analysis.attribution.sources import user_frames
from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace

_AUTOGRAD = r"autograd::engine::evaluate_function|\w+Backward\d*\Z"
"""Ops that torch runs in `backward()`: traces of 2021 have only the second kind."""


class ProgramRanges:
    """Positions index the ranges in the order of their nest."""

    def __init__(self, facts: Facts, nest: Nest) -> None:
        """`nest` holds what counts as a range, of any thread."""
        self._slices = facts.trace.slices
        self._nest = nest
        self._backward = np.array(backward_threads(facts), np.int64)
        self._main = main_thread(facts)

    @property
    def rows(self) -> Int64s:
        """Row of the trace at each position."""
        return self._nest.rows

    def around(self, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        """Position of the innermost range around each call, `NONE` where there is none."""
        return self._or_of_caller(
            self._nest.innermost(lane, start_ns, end_ns), lane.astype(np.int64), start_ns, end_ns
        )

    def parents(self) -> Int64s:
        """For each position that of the range around it, `NONE` for the outermost."""
        rows = self.rows
        lane, end = self._slices.lane[rows].astype(np.int64), self._slices.end_of(rows)
        return self._or_of_caller(self._nest.parents(), lane, self._slices.start_ns[rows], end)

    def _or_of_caller(self, found: Int64s, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        open_ = np.flatnonzero((found == NONE) & is_among(lane, self._backward))
        if self._main is None or len(open_) == 0:
            return found
        joined: Int64s = found.copy()
        caller = np.full(len(open_), self._main, np.int64)
        joined[open_] = self._nest.innermost(caller, start_ns[open_], end_ns[open_])
        return joined


def main_thread(facts: Facts) -> int | None:
    """The lane that carries the steps; where none does, the training thread with most ops.

    Where no thread trains, as in inference on the CPU, any thread with ops; None where no op is recorded.
    """
    if facts.steps.recorded:
        return facts.steps.lanes[0]
    slices = facts.trace.slices
    others = set(facts.training_threads) - set(_autograd_lanes(facts))
    lanes = slices.lane[slices.category == Category.CPU_OP]
    candidates = sorted(others or facts.training_threads or distinct(lanes).tolist())
    return max(candidates, key=lambda lane: int((lanes == lane).sum()), default=None)


def backward_threads(facts: Facts) -> tuple[int, ...]:
    """The lanes of autograd's own threads, busiest first; on the CPU `backward()` runs where it is called."""
    found, count = np.unique(_autograd_lanes(facts), return_counts=True)
    lanes: list[int] = found[np.argsort(-count, kind="stable")].tolist()
    return tuple(lane for lane in lanes if lane != main_thread(facts))


def _autograd_lanes(facts: Facts) -> Int64s:
    """The lane of each row of autograd's."""
    rows = matching_rows(facts.trace, _AUTOGRAD, Category.CPU_OP)
    return facts.trace.slices.lane[rows].astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Nodes of a tree; the first is the root, and each comes after its parent."""

    parent: Int64s
    """The parent of each node, `NONE` for the root."""
    name: Int64s
    """The name of each node, as the ranges name it; `NONE` for the root."""
    node: Int64s
    """The node of each range."""


def merge_paths(names: Int64s, parents: Int64s) -> Paths:
    """The tree of all distinct paths.

    Args:
        names: A number a range that says what it is called.
        parents: Of each range the one around it, `NONE` for the outermost.
    """
    node = np.zeros(len(names), np.int64)
    parent, name = [np.array([NONE])], [np.array([NONE])]
    count, width = 1, int(names.max(initial=0)) + 1
    for level in _levels(depths_of(parents)):
        around = np.where(parents[level] == NONE, 0, node[parents[level]])
        distinct, which = np.unique(around * width + names[level], return_inverse=True)
        node[level] = count + which.reshape(-1)
        parent.append(distinct // width)
        name.append(distinct % width)
        count += len(distinct)
    return Paths(np.concatenate(parent), np.concatenate(name), node)


def totals_of(parent: Int64s, own: Int64s) -> Int64s:
    """For each node its own value plus those of all nodes inside it.

    Args:
        parent: As in `Paths`.
        own: One a node.
    """
    total: Int64s = own.copy()
    for level in reversed(list(_levels(depths_of(parent)))[1:]):
        np.add.at(total, parent[level], total[level])
    return total


def depths_of(parents: Int64s) -> Int64s:
    """How many are around each; jumps of doubling length take as many rounds as the depth has bits."""
    depth: Int64s = (parents != NONE).astype(np.int64)
    jump = parents
    while (open_ := np.flatnonzero(jump != NONE)).size:
        above = jump[open_]
        further = jump.copy()
        depth[open_] += depth[above]
        further[open_] = jump[above]
        jump = further
    return depth


def _levels(depth: Int64s) -> Iterator[Int64s]:
    """The positions of each depth, from the outermost on."""
    order = np.argsort(depth, kind="stable")
    deepest = int(depth.max(initial=-1))
    bounds = np.searchsorted(depth[order], np.arange(deepest + 2))
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        yield order[begin:end]


IcicleKind: TypeAlias = Literal["function", "operator", "module", "label"]

ICICLE_KINDS: tuple[IcicleKind, ...] = ("function", "operator", "module", "label")


def recorded_ranges(trace: Trace) -> Mapping[IcicleKind, Int64s]:
    """The rows of the ranges of each kind; a kind of which nothing was recorded is left out.

    Functions are Python frames but torch's own, with the ops that they call.
    """
    ops = np.flatnonzero(trace.slices.category == Category.CPU_OP)
    frames = user_frames(trace)
    found: dict[IcicleKind, Int64s] = {
        "function": np.concatenate([frames, ops]) if len(frames) else frames,
        "operator": ops,
        "module": module_rows(trace),
        "label": label_rows(trace),
    }
    return {kind: rows for kind, rows in found.items() if len(rows)}
