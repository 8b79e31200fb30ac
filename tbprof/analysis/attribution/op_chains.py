"""The ops around each call, innermost first, as names; distinct chains are stored once."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.events.calls import Calls
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Trace


@dataclass(frozen=True, slots=True, eq=False)
class OpChains:
    chain: Int64s
    """For each call an index into `names`."""
    names: tuple[tuple[str, ...], ...]
    outermost: Int64s
    """For each call the row of its outermost op, or `NONE`."""


def find_op_chains(trace: Trace, calls: Calls, chosen: Int64s) -> OpChains:
    """All ops of the thread that contain each chosen call, repeats included.

    Annotations, Python frames and the forward op of a backward one are no part of it. One
    level outwards is taken for all calls at once; a chain is then known by the chain inside
    it and one more name.
    """
    chain = np.zeros(len(chosen), np.int64)
    chains: list[tuple[int, ...]] = [()]
    known: dict[tuple[int, int], int] = {}
    position, end = calls.op[chosen], calls.end_ns[chosen]
    outermost = np.full(len(chosen), NONE, np.int64)
    while (inside := np.flatnonzero(position != NONE)).size:
        rows = calls.ops.rows[position[inside]]
        outermost[inside] = rows
        steps = np.stack([chain[inside], trace.slices.name[rows]], axis=1)
        distinct, which = distinct_lines(steps)
        codes = []
        for inner, name in distinct.tolist():
            if (inner, name) not in known:
                known[inner, name] = len(chains)
                chains.append((*chains[inner], name))
            codes.append(known[inner, name])
        chain[inside] = np.array(codes)[which]
        position = calls.ops.enclosing(position, end)
    return OpChains(chain, tuple(tuple(trace.names[i] for i in ids) for ids in chains), outermost)
