"""What a device did from the first step to the last, as pieces that follow one another without a gap.

Each has a part: computing by op and module, communication by kind and group, copying, idle by cause and
place. Of work that ran at once the earlier has the moment, computing before communication before copying.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import Intervals, clip, complement, subtract, union, union_of
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.attribution.annotations import module_frames, module_name, user_labels
from tbprof.analysis.communication.exposure import own_pieces
from tbprof.analysis.facts import Facts
from tbprof.analysis.gaps.idle_places import placed_idle
from tbprof.model import SiteIndex, StretchPart
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.columns import Category, Int64s

__all__ = ["DevicePieces", "device_pieces"]

_Labelled = tuple[StretchPart, Intervals]


@dataclass(frozen=True, slots=True, eq=False)
class DevicePieces:
    """One entry a piece, ascending, each up to the start of the next."""

    start_ns: Int64s
    end_ns: Int64s
    part: Int64s
    """Index into `parts`."""
    is_kernel: npt.NDArray[np.bool_]
    """Whether a kernel that computes begins with it."""
    parts: tuple[StretchPart, ...]
    nameless: Int64s
    """Of each part the one of its kind (and cause) without a name."""


def device_pieces(facts: Facts, device: int, begin_ns: int, end_ns: int) -> DevicePieces:
    """All of `[begin_ns, end_ns)` on one device."""
    labelled = [*_computing(facts, device), *_communication(facts, device), *_copying(facts, device)]
    labelled += _idle(facts, device)
    labelled = [(part, clip(held, begin_ns, end_ns)) for part, held in labelled]
    rest = complement(union_of([held for _, held in labelled]), begin_ns, end_ns)
    labelled.append((StretchPart("idle", "outside"), rest))
    named = {part for part, _ in labelled}
    parts = sorted(named | {_without_name(part) for part in named}, key=_in_order)
    number = {part: at for at, part in enumerate(parts)}
    start = np.concatenate([held.start_ns for _, held in labelled])
    end = np.concatenate([held.end_ns for _, held in labelled])
    part = np.concatenate([np.full(len(held), number[one], np.int64) for one, held in labelled])
    order = np.argsort(start, kind="stable")
    computing = np.array([one.kind == "computing" for one in parts])
    return DevicePieces(
        start_ns=start[order],
        end_ns=end[order],
        part=part[order],
        is_kernel=computing[part[order]],
        parts=tuple(parts),
        nameless=np.array([number[_without_name(one)] for one in parts], np.int64),
    )


def _in_order(part: StretchPart) -> tuple[str, str, str, str, int]:
    return part.kind, part.cause, part.name, part.within, NONE if part.site is None else part.site


def _without_name(part: StretchPart) -> StretchPart:
    return StretchPart(part.kind, part.cause)


def _computing(facts: Facts, device: int) -> Iterator[_Labelled]:
    """By the innermost op around the launch, and the innermost module, else label."""
    work, slices = facts.work, facts.trace.slices
    is_copy = slices.category[work.rows] == Category.MEMCPY
    at = np.flatnonzero(~is_copy & ~facts.parts.is_communication & (work.device == device))
    start, end = own_pieces(work.start_ns[at], work.end_ns[at])
    launch = work.launch[at]
    ops = facts.calls.ops
    op = _innermost(facts, ops, launch)
    within = _within(facts, launch)
    distinct, which = np.unique(np.stack([op, within], axis=1), axis=0, return_inverse=True)
    which = which.reshape(-1)
    for number, (name, place) in enumerate(distinct.tolist()):
        mine = (which == number) & (end > start)
        part = StretchPart("computing", "", _name(facts, name), module_name(_name(facts, place)))
        # Not their union: each is a kernel of its own.
        yield part, Intervals(start[mine], end[mine])


def _within(facts: Facts, launch: Int64s) -> Int64s:
    trace = facts.trace
    frames = np.flatnonzero(trace.slices.category == Category.PYTHON)
    ranges = np.flatnonzero(trace.slices.category == Category.USER_ANNOTATION)
    modules = Nest.of(trace.slices, frames[module_frames(trace)[trace.slices.name[frames]]])
    labels = Nest.of(trace.slices, ranges[user_labels(trace)[trace.slices.name[ranges]]])
    module, label = _innermost(facts, modules, launch), _innermost(facts, labels, launch)
    return np.where(module == NONE, label, module)


def _innermost(facts: Facts, nest: Nest, launch: Int64s) -> Int64s:
    """Interned name of what each launch lies in, `NONE` for nothing."""
    slices = facts.trace.slices
    names = np.full(len(launch), NONE, np.int64)
    known = np.flatnonzero(launch != NONE)
    calls = launch[known]
    at = nest.innermost(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    inside = at != NONE
    names[known[inside]] = slices.name[nest.rows[at[inside]]]
    return names


def _name(facts: Facts, name: int) -> str:
    return "" if name == NONE else facts.trace.names[name]


def _communication(facts: Facts, device: int) -> Iterator[_Labelled]:
    work, found = facts.work, facts.collectives
    mine = np.flatnonzero(work.device[found.at] == device)
    start, end = own_pieces(work.start_ns[found.at[mine]], work.end_ns[found.at[mine]])
    labels = [(key.kind, key.group or key.ranks or "") for key in found.keys]
    for kind, group in dict.fromkeys(labels):
        of_label = np.array([label == (kind, group) for label in labels])[found.key[mine]]
        held = subtract(union(start[of_label], end[of_label]), facts.parts.computing[device])
        yield StretchPart("communication", "", kind, group), held


def _copying(facts: Facts, device: int) -> Iterator[_Labelled]:
    yield StretchPart("copying"), facts.parts.copying[device]


def _idle(facts: Facts, device: int) -> Iterator[_Labelled]:
    gaps, empty = facts.idle.gaps[device], facts.idle.empty[device]
    yield StretchPart("idle", "queued"), subtract(gaps, empty)
    for cause, pieces in facts.causes.empty[device].items():
        placed = placed_idle(facts, device, cause)
        order = np.argsort(placed.pieces.start_ns, kind="stable")
        names = list(zip(placed.names, placed.blamed, strict=True))
        for name, site in dict.fromkeys(names):
            mine = order[[names[at] == (name, site) for at in order.tolist()]]
            held = Intervals(placed.pieces.start_ns[mine], placed.pieces.end_ns[mine])
            yield StretchPart("idle", cause, name, "", None if site == NONE else SiteIndex(site)), held
        yield (
            StretchPart("idle", cause),
            subtract(pieces, union(placed.pieces.start_ns, placed.pieces.end_ns)),
        )
