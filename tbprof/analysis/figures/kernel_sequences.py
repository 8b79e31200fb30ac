"""Sequences of kernels that a stream runs again and again: what a fusion or a graph would hold.

All sequences of two to `LONGEST` kernels are numbered length by length: one of n kernels is known by the
one of n - 1 that it begins with and by its last kernel. One that is always part of the same longer one is
left out. Of the rest, that which saves most launches as one is taken first, of equals the longer one, and
its kernels are given to no other one, so that counts and times add up.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

LONGEST = 48
"""Kernels of a sequence; a layer of a transformer has ten to forty."""

MOST_SEQUENCES = 10
_MOST_CANDIDATES = 200
"""The sequences of each length that repeat most; the others can't be among the largest."""
_FEWEST_TIMES = 2


@dataclass(frozen=True, slots=True)
class KernelSequence:
    names: tuple[str, ...]
    """In the order of their start on one stream."""
    count: int
    """How often, without overlap."""
    total_ns: int
    """The time of the kernels, without what lies between them."""
    span_ns: int
    """The time from the start of the first to the end of the last one, of all occurrences together."""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    length: int
    starts: Int64s


def repeated_sequences(facts: Facts, kernels: Int64s) -> tuple[KernelSequence, ...]:
    """Repeated sequences, those first that would save most launches.

    Args:
        facts: Of the window.
        kernels: Positions in `Facts.work`.
    """
    work = facts.work
    order = kernels[np.lexsort((work.start_ns[kernels], work.place[kernels]))]
    name = facts.trace.slices.name[work.rows[order]].astype(np.int64)
    candidates = list(_candidates(name, work.place[order]))
    candidates.sort(key=lambda one: (-(one.length - 1) * len(one.starts), -one.length))
    is_taken, found = np.zeros(len(order), np.bool_), list[KernelSequence]()
    for one in candidates:
        starts = _free(one, is_taken)
        if len(starts) < _FEWEST_TIMES:
            continue
        inside = (starts[:, None] + np.arange(one.length)).ravel()
        is_taken[inside] = True
        held, last = order[inside], order[starts + one.length - 1]
        found.append(
            KernelSequence(
                names=tuple(facts.trace.names[at] for at in name[inside[: one.length]].tolist()),
                count=len(starts),
                total_ns=int((work.end_ns[held] - work.start_ns[held]).sum()),
                span_ns=int((work.end_ns[last] - work.start_ns[order[starts]]).sum()),
            )
        )
    found.sort(key=lambda sequence: -(len(sequence.names) - 1) * sequence.count)
    return tuple(found[:MOST_SEQUENCES])


def _candidates(name: Int64s, place: Int64s) -> list[_Candidate]:
    found = list[_Candidate]()
    starts, code = np.arange(len(name)), np.unique(name, return_inverse=True)[1]
    count = len(name)
    shorter = _Numbered(starts, code, np.bincount(code, minlength=1)) if count else None
    for length in range(2, LONGEST + 2):
        if shorter is None:
            break
        longer = _longer(shorter, name, place, length)
        if length > _FEWEST_TIMES:
            found += _maximal(shorter, longer, length - 1)
        shorter = longer
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Numbered:
    """The places at which a sequence of one length begins that is there twice or more."""

    starts: Int64s
    """Ascending."""
    code: Int64s
    counts: Int64s
    """The count of each code."""


def _longer(shorter: _Numbered, name: Int64s, place: Int64s, length: int) -> _Numbered | None:
    fits = shorter.starts + length - 1 < len(name)
    starts, code = shorter.starts[fits], shorter.code[fits]
    same = place[starts + length - 1] == place[starts]
    starts, code = starts[same], code[same]
    key = code * (int(name.max()) + 1) + name[starts + length - 1]
    _, code, counts = np.unique(key, return_inverse=True, return_counts=True)
    again = counts[code] >= _FEWEST_TIMES
    if not again.any():
        return None
    return _Numbered(starts[again], code[again], counts)


def _maximal(shorter: _Numbered, longer: _Numbered | None, length: int) -> list[_Candidate]:
    """The most frequent sequences that are not always part of one longer sequence."""
    is_part = np.zeros(len(shorter.counts), np.bool_)
    if longer is not None:
        of_place = np.zeros(int(shorter.starts[-1]) + 2, np.int64)
        of_place[longer.starts] = longer.counts[longer.code]
        ahead = of_place[shorter.starts]
        before = np.where(shorter.starts > 0, of_place[np.maximum(shorter.starts - 1, 0)], 0)
        always = np.maximum(ahead, before) >= shorter.counts[shorter.code]
        is_part[shorter.code[always]] = True
    order = np.argsort(shorter.code, kind="stable")
    codes, first = np.unique(shorter.code[order], return_index=True)
    groups = np.split(shorter.starts[order], first[1:])
    kept = [
        _Candidate(length, _apart(starts, length))
        for code, starts in zip(codes.tolist(), groups, strict=True)
        if not is_part[code]
    ]
    kept = [one for one in kept if len(one.starts) >= _FEWEST_TIMES]
    return sorted(kept, key=lambda one: -len(one.starts))[:_MOST_CANDIDATES]


def _apart(starts: Int64s, length: int) -> Int64s:
    """The starts that remain when no two of the sequences overlap, the earlier ones first."""
    if len(starts) < _FEWEST_TIMES or np.diff(starts).min() >= length:
        return starts
    kept, free = list[int](), -1
    for start in starts.tolist():
        if start >= free:
            kept.append(start)
            free = start + length
    return np.array(kept, np.int64)


def _free(one: _Candidate, is_taken: npt.NDArray[np.bool_]) -> Int64s:
    before = np.concatenate([[0], np.cumsum(is_taken)])
    starts: Int64s = one.starts[before[one.starts + one.length] == before[one.starts]]
    return starts
