"""What a device did from the first step to the last, as pieces that follow one another without a gap.

Each has a part: computing by op and module, communication by kind and group, copying, idle by cause and
place. Of work that ran at once the earlier has the moment, computing before communication before copying.

What a host without a device did from the first step to the last, as pieces that follow one another.

Where the host trains itself it is the host that is late: an op computes, a collective is waited in, and the
rest is Python, the data loader or the garbage collector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.annotations import LOADER, label_rows, module_name, module_rows
from tbprof.analysis.collectives import key_of_range
from tbprof.analysis.exposure import own_pieces
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import placed_idle
from tbprof.analysis.figures.row_details import input_elements
from tbprof.analysis.intervals import (
    Intervals,
    clip,
    complement,
    distinct_lines,
    intersect,
    subtract,
    union,
    union_of,
)
from tbprof.analysis.names import matching_rows
from tbprof.analysis.nesting import Nest
from tbprof.model import SiteIndex, StretchPart
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, lookup
from tbprof.trace.columns.columns import Category

Labeled: TypeAlias = tuple[StretchPart, Intervals]


@dataclass(frozen=True, slots=True, eq=False)
class DevicePieces:
    """One entry a piece, ascending, each up to the start of the next."""

    start_ns: Int64s
    end_ns: Int64s
    part: Int64s
    """Index into `parts`."""
    is_kernel: npt.NDArray[np.bool_]
    """Whether a kernel that computes begins with it."""
    elements: Int64s
    """The number of elements of that kernel's inputs, `NONE` where that was not recorded."""
    parts: tuple[StretchPart, ...]
    nameless: Int64s
    """For each part the one of its kind (and cause) without a name."""
    coarser: Int64s
    """The same, but of computing the one of its op, in no module."""


def device_pieces(facts: Facts, device: int, begin_ns: int, end_ns: int) -> DevicePieces:
    """All of `[begin_ns, end_ns)` on one device."""
    kernels, computing = _computing(facts, device)
    labeled = [*computing, *_communication(facts, device), *_copying(facts, device), *_idle(facts, device)]
    return pieces_of(labeled, begin_ns, end_ns, kernels.start_ns, kernels.elements)


def pieces_of(
    labeled: Sequence[Labeled], begin_ns: int, end_ns: int, kernel_start_ns: Int64s, elements: Int64s
) -> DevicePieces:
    """All of `[begin_ns, end_ns)`: what no part has is idle outside.

    Args:
        labeled: No two parts have the same moment.
        begin_ns: Of the first piece.
        end_ns: Of the last one.
        kernel_start_ns: Where those that compute begin, ascending.
        elements: Of the inputs of each of these, `NONE` where that was not recorded.
    """
    clipped = [(part, clip(held, begin_ns, end_ns)) for part, held in labeled]
    rest = complement(union_of([held for _, held in clipped]), begin_ns, end_ns)
    clipped.append((StretchPart("idle", "outside"), rest))
    named = {part for part, _ in clipped}
    wider = {target(part) for part in named for target in (_without_name, _coarser)}
    parts = sorted(named | wider, key=_in_order)
    number = {part: at for at, part in enumerate(parts)}
    start = np.concatenate([held.start_ns for _, held in clipped])
    end = np.concatenate([held.end_ns for _, held in clipped])
    part = np.concatenate([np.full(len(held), number[one], np.int64) for one, held in clipped])
    order = np.argsort(start, kind="stable")
    start, part = start[order], part[order]
    computing = np.array([one.kind == "computing" for one in parts])
    kernel = lookup(kernel_start_ns, np.arange(len(kernel_start_ns)), start)
    is_kernel = computing[part] & (kernel != NONE)
    return DevicePieces(
        start_ns=start,
        end_ns=end[order],
        part=part,
        is_kernel=is_kernel,
        elements=np.where(is_kernel, np.append(elements, NONE)[kernel], NONE),
        parts=tuple(parts),
        nameless=np.array([number[_without_name(one)] for one in parts], np.int64),
        coarser=np.array([number[_coarser(one)] for one in parts], np.int64),
    )


def _in_order(part: StretchPart) -> tuple[str, str, str, str, int]:
    return part.kind, part.cause, part.name, part.within, NONE if part.site is None else part.site


def _without_name(part: StretchPart) -> StretchPart:
    return StretchPart(part.kind, part.cause)


def _coarser(part: StretchPart) -> StretchPart:
    return StretchPart("computing", "", part.name) if part.kind == "computing" else _without_name(part)


@dataclass(frozen=True, slots=True, eq=False)
class _Kernels:
    start_ns: Int64s
    elements: Int64s


def _computing(facts: Facts, device: int) -> tuple[_Kernels, list[Labeled]]:
    """Computing by the innermost op around the launch, and the innermost module, else label."""
    work, slices = facts.work, facts.trace.slices
    is_copy = slices.category[work.rows] == Category.MEMCPY
    at = np.flatnonzero(~is_copy & ~facts.parts.is_communication & (work.device == device))
    start, end = own_pieces(work.start_ns[at], work.end_ns[at])
    at, start, end = (column[end > start] for column in (at, start, end))
    launch = work.launch[at]
    op = _innermost(facts, facts.calls.ops, launch)
    named = np.stack([_names(facts, op), _within(facts, launch)], axis=1)
    distinct, which = distinct_lines(named)
    labeled = []
    for number, (name, place) in enumerate(distinct.tolist()):
        mine = which == number
        part = StretchPart("computing", "", _name(facts, name), module_name(_name(facts, place)))
        # Not their union: each is a kernel of its own.
        labeled.append((part, Intervals(start[mine], end[mine])))
    return _Kernels(start, input_elements(facts.trace, op)), labeled


def _within(facts: Facts, launch: Int64s) -> Int64s:
    trace = facts.trace
    modules = Nest.of(trace.slices, module_rows(trace))
    labels = Nest.of(trace.slices, label_rows(trace))
    module = _names(facts, _innermost(facts, modules, launch))
    return np.where(module == NONE, _names(facts, _innermost(facts, labels, launch)), module)


def _innermost(facts: Facts, nest: Nest, launch: Int64s) -> Int64s:
    """The row that each launch lies in, `NONE` for none."""
    slices = facts.trace.slices
    rows = np.full(len(launch), NONE, np.int64)
    known = np.flatnonzero(launch != NONE)
    calls = launch[known]
    at = nest.innermost(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    inside = at != NONE
    rows[known[inside]] = nest.rows[at[inside]]
    return rows


def _names(facts: Facts, rows: Int64s) -> Int64s:
    names: Int64s = np.where(rows == NONE, NONE, facts.trace.slices.name[rows])
    return names


def _name(facts: Facts, name: int) -> str:
    return "" if name == NONE else facts.trace.names[name]


def _communication(facts: Facts, device: int) -> Iterator[Labeled]:
    work, found = facts.work, facts.collectives
    mine = np.flatnonzero(work.device[found.at] == device)
    start, end = own_pieces(work.start_ns[found.at[mine]], work.end_ns[found.at[mine]])
    labels = [(key.kind, key.group_name) for key in found.keys]
    for kind, group in dict.fromkeys(labels):
        of_label = np.array([label == (kind, group) for label in labels])[found.key[mine]]
        held = subtract(union(start[of_label], end[of_label]), facts.parts.computing[device])
        yield StretchPart("communication", "", kind, group), held


def _copying(facts: Facts, device: int) -> Iterator[Labeled]:
    yield StretchPart("copying"), facts.parts.copying[device]


def _idle(facts: Facts, device: int) -> Iterator[Labeled]:
    gaps, empty = facts.idle.gaps[device], facts.idle.empty[device]
    yield StretchPart("idle", "queued"), subtract(gaps, empty)
    for cause, pieces in facts.causes.empty[device].items():
        if cause == "garbage_collection":
            # Python begins one wherever it has made so many objects: the place says nothing.
            yield StretchPart("idle", cause), pieces
            continue
        placed = placed_idle(facts, device, cause)
        order = np.argsort(placed.pieces.start_ns, kind="stable")
        where = (
            facts.places.functions_within(placed.pieces.start_ns, placed.pieces.end_ns)
            if cause == "data"
            else placed.names
        )
        names = list(zip(where, placed.blamed, strict=True))
        for name, site in dict.fromkeys(names):
            mine = order[[names[at] == (name, site) for at in order.tolist()]]
            held = Intervals(placed.pieces.start_ns[mine], placed.pieces.end_ns[mine])
            yield StretchPart("idle", cause, name, "", None if site == NONE else SiteIndex(site)), held
        yield (
            StretchPart("idle", cause),
            subtract(pieces, union(placed.pieces.start_ns, placed.pieces.end_ns)),
        )


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
    collecting = subtract(facts.causes.states["garbage_collection"], union_of((busy, exchanging)))
    loading = subtract(_during(facts, _loading(facts)), union_of((busy, exchanging, collecting)))
    rest = complement(union_of((busy, exchanging, collecting, loading)), begin_ns, end_ns)
    labeled = [
        *_by_op(facts, rows, start, end),
        *_by_collective(facts, exchanging),
        (StretchPart("idle", "garbage_collection"), clip(collecting, begin_ns, end_ns)),
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
    """The outermost ops of the training threads, ascending by start."""
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
    """Communication by collective; where several run at once the earlier one has the moment."""
    rows = _collectives(facts)
    kinds = [key_of_range(facts.trace, row).kind for row in rows.tolist()]
    start, end = own_pieces(facts.trace.slices.start_ns[rows], facts.trace.slices.end_of(rows))
    for kind in dict.fromkeys(kinds):
        mine = np.array([one == kind for one in kinds])
        yield StretchPart("communication", "", kind), intersect(exposed, union(start[mine], end[mine]))


def _named(facts: Facts, cause: str, pieces: Intervals) -> Iterator[Labeled]:
    """The pieces, named by the code that the host was in."""
    order = np.argsort(pieces.start_ns - pieces.end_ns, kind="stable")
    longest = np.sort(order[:_MAX_NAMED])
    held = Intervals(pieces.start_ns[longest], pieces.end_ns[longest])
    names = np.array(facts.places.functions_within(held.start_ns, held.end_ns), object)
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        yield StretchPart("idle", cause, name), Intervals(held.start_ns[mine], held.end_ns[mine])
    yield StretchPart("idle", cause), subtract(pieces, held)
