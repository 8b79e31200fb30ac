"""What a host without a device did from the first step to the last, as pieces that follow one another.

Where the host trains itself it is the host that is late: an op computes, a collective is waited in, and the
rest is Python or the data loader.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.arrays.intervals import (
    Intervals,
    clip,
    complement,
    intersect,
    subtract,
    union,
    union_of,
)
from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.communication.collectives import key_of_range
from tbprof.analysis.communication.exposure import own_pieces
from tbprof.analysis.facts import Facts
from tbprof.analysis.summary.device_pieces import DevicePieces, Labeled, pieces_of
from tbprof.analysis.summary.input_elements import input_elements
from tbprof.model import StretchPart
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

HOST_COLLECTIVES = r"(?:gloo|mpi):"
"""Ranges in which a host does a collective itself."""

_HANDS_OVER = rf"c10d::|record_param_comms|{HOST_COLLECTIVES}|{LOADER}"
"""Ops that compute nothing."""

_MAX_NAMED = 2000
"""Longest pieces of Python that are given a place."""


def host_pieces(facts: Facts, begin_ns: int, end_ns: int) -> DevicePieces:
    """All of `[begin_ns, end_ns)` on the training threads."""
    rows = _outermost_ops(facts)
    start, end = own_pieces(facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows))
    busy = union(start, end)
    exchanging = subtract(_during(facts, _collectives(facts)), busy)
    loading = subtract(_during(facts, _loading(facts)), union_of((busy, exchanging)))
    rest = complement(union_of((busy, exchanging, loading)), begin_ns, end_ns)
    labeled = [
        *_by_op(facts, rows, start, end),
        *_by_collective(facts, exchanging),
        *_named(facts, "data", clip(loading, begin_ns, end_ns)),
        *_named(facts, "python", rest),
    ]
    return pieces_of(labeled, begin_ns, end_ns, start, input_elements(facts.trace, rows))


def exposed_on_host(facts: Facts) -> Intervals:
    """When hosts were in a collective of their own, and no operator of a training thread computed."""
    collectives = _during(facts, _collectives(facts))
    if len(collectives.start_ns) == 0:
        return collectives
    rows = _outermost_ops(facts)
    return subtract(collectives, union(facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows)))


def _outermost_ops(facts: Facts) -> Int64s:
    """Of the training threads, ascending by start."""
    trace = facts.trace
    is_op = trace.slices.category == Category.CPU_OP
    is_op &= is_among(trace.slices.lane, facts.training_threads)
    is_op[matching_rows(trace, _HANDS_OVER, Category.CPU_OP)] = False
    ops = Nest.of(trace.slices, np.flatnonzero(is_op))
    rows = ops.rows[ops.parents() == NONE]
    in_order: Int64s = rows[np.argsort(trace.slices.start_ns[rows], kind="stable")]
    return in_order


def _collectives(facts: Facts) -> Int64s:
    """Ascending by start."""
    rows = matching_rows(facts.trace, HOST_COLLECTIVES, Category.USER_ANNOTATION, Category.CPU_OP)
    return rows[np.argsort(facts.trace.slices.start_ns[rows], kind="stable")]


def _loading(facts: Facts) -> Int64s:
    rows = matching_rows(facts.trace, LOADER, Category.USER_ANNOTATION, Category.CPU_OP)
    return rows[is_among(facts.trace.slices.lane[rows], facts.training_threads)]


def _during(facts: Facts, rows: Int64s) -> Intervals:
    return union(facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows))


def _by_op(facts: Facts, rows: Int64s, start_ns: Int64s, end_ns: Int64s) -> Iterator[Labeled]:
    name = facts.trace.slices.name[rows]
    for one in distinct(name).tolist():
        mine = (name == one) & (end_ns > start_ns)
        yield StretchPart("computing", "", facts.trace.names[one]), Intervals(start_ns[mine], end_ns[mine])


def _by_collective(facts: Facts, exposed: Intervals) -> Iterator[Labeled]:
    """Of several at once the earlier has the moment."""
    rows = _collectives(facts)
    kinds = [key_of_range(facts.trace, row).kind for row in rows.tolist()]
    start, end = own_pieces(facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows))
    for kind in dict.fromkeys(kinds):
        mine = np.array([one == kind for one in kinds])
        yield StretchPart("communication", "", kind), intersect(exposed, union(start[mine], end[mine]))


def _named(facts: Facts, cause: str, pieces: Intervals) -> Iterator[Labeled]:
    """By the code that the host was in."""
    order = np.argsort(pieces.start_ns - pieces.end_ns, kind="stable")
    longest = np.sort(order[:_MAX_NAMED])
    held = Intervals(pieces.start_ns[longest], pieces.end_ns[longest])
    names = np.array(facts.places.functions_within(held.start_ns, held.end_ns), object)
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        yield StretchPart("idle", cause, name), Intervals(held.start_ns[mine], held.end_ns[mine])
    yield StretchPart("idle", cause), subtract(pieces, held)
