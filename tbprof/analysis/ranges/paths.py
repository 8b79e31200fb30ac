"""Ranges that enclose each other, merged by their path: what has the same names around it is one node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tbprof.trace.columns.arrays import NONE, Int64s


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Nodes of a tree; the first is the root, and each comes after its parent."""

    parent: Int64s
    """Of each node, `NONE` of the root."""
    name: Int64s
    """Of each node, as the ranges name it; `NONE` of the root."""
    node: Int64s
    """Of each range."""


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
    """Of each node its own value and those of all nodes inside it.

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
