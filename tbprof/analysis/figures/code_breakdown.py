"""Where a step goes by code: host time, device time and launches per label, module and function.

Host time is a range's own: without that of the ranges of the same kind inside it. Device work
belongs to the innermost range around the call that launched it; what autograd's thread launches, to the one
around the call of `backward()`; what a CUDA graph replays, to the scope or line that was noted of its node.
What lies in none is under "".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import median

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.annotations import label_rows, module_name, module_rows
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.program_ranges import ProgramRanges
from tbprof.analysis.nesting import Nest
from tbprof.model import CodeKind, CodeShare
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.columns import Trace

MAX_SHARES = 16
"""Rows of each kind that a report holds, those with most device and host time."""


def code_shares(facts: Facts) -> tuple[CodeShare, ...]:
    """Labels, then modules, then functions; of each the largest first. Only what lies in steps counts."""
    trace = facts.trace
    kinds: tuple[tuple[CodeKind, Nest], ...] = (
        ("label", Nest.of(trace.slices, label_rows(trace))),
        ("module", Nest.of(trace.slices, module_rows(trace))),
        ("function", facts.user_frames),
    )
    return tuple(
        share for kind, nest in kinds for share in fold_alike(_shares(facts, kind, nest))[:MAX_SHARES]
    )


def _shares(facts: Facts, kind: CodeKind, nest: Nest) -> list[CodeShare]:
    trace = facts.trace
    replayed, noted = _replayed(facts, kind)
    if len(nest.rows) == 0 and not noted:
        return []
    ranges = ProgramRanges(facts, nest)
    host = _own_host_ns(facts, ranges)
    device, launches = _device_ns(facts, ranges, replayed)
    shares = noted
    for name in np.flatnonzero(host + device).tolist():
        shown = trace.names[name] if name < len(trace.names) else ""
        shown = module_name(shown) if kind == "module" else shown
        shares.append(CodeShare(kind, shown, int(host[name]), int(device[name]), int(launches[name])))
    return shares


def _own_host_ns(facts: Facts, ranges: ProgramRanges) -> Int64s:
    """The own host time inside the steps by interned name, and one more for what has no name."""
    slices, rows = facts.trace.slices, ranges.rows
    inside = facts.steps.index_of(slices.start_ns[rows]) != NONE
    duration = np.where(inside, slices.duration_ns[rows], 0)
    parent = ranges.parents()
    own = duration.copy()
    np.subtract.at(own, parent[parent != NONE], duration[parent != NONE])
    return _by_name(facts.trace, slices.name[rows], np.maximum(own, 0))


def _replayed(facts: Facts, kind: CodeKind) -> tuple[npt.NDArray[np.bool_], list[CodeShare]]:
    """The work that a CUDA graph replays from code of this kind, by what was noted of its nodes."""
    places, work = facts.graph_places, facts.work
    frames = tuple(f"{one.file}({one.line}): {one.function}" for one in places.sources)
    code, names = {
        "label": (places.label, places.labels),
        "module": (places.module, places.modules),
        "function": (places.source, frames),
    }[kind]
    mine = np.flatnonzero((code != NONE) & (work.launch != NONE))
    mine = mine[facts.steps.index_of(work.launch_start_ns[mine]) != NONE]
    spent = np.zeros(len(names), np.int64)
    np.add.at(spent, code[mine], (work.end_ns - work.start_ns)[mine])
    shares = [CodeShare(kind, name, 0, ns, 0) for name, ns in zip(names, spent.tolist(), strict=True) if ns]
    return code != NONE, shares


def _device_ns(facts: Facts, ranges: ProgramRanges, left_out: npt.NDArray[np.bool_]) -> tuple[Int64s, Int64s]:
    """The device time of the other work, and all launches, inside each interned name."""
    work, slices = facts.work, facts.trace.slices
    known = np.flatnonzero(work.launch != NONE)
    known = known[facts.steps.index_of(work.launch_start_ns[known]) != NONE]
    calls = work.launch[known]
    at = ranges.around(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    nameless = len(facts.trace.names)
    name = np.full(len(at), nameless, np.int64)
    name[at != NONE] = slices.name[ranges.rows[at[at != NONE]]]
    length = np.where(left_out, 0, work.end_ns - work.start_ns)[known]
    first = np.unique(calls, return_index=True)[1]
    return _by_name(facts.trace, name, length), _by_name(facts.trace, name[first], np.ones_like(first))


def _by_name(trace: Trace, names: npt.NDArray[np.integer], values: Int64s) -> Int64s:
    # Not bincount's weights: those are floats, and a sum of ns must stay exact.
    total = np.zeros(len(trace.names) + 1, np.int64)
    np.add.at(total, names, values)
    return total


ALIKE = 0.1
"""Parts that launch the same are alike if their times are within this share of the median."""

_MIN_ALIKE = 2
_NUMBERED = re.compile(r"(?P<stem>.*\D)_?\d+", re.DOTALL)


def fold_alike(shares: Iterable[CodeShare]) -> tuple[CodeShare, ...]:
    """The shares of one kind, the largest first; alike ones as one with their sums, named without a
    number.
    """
    groups: dict[tuple[str, int], list[CodeShare]] = {}
    for share in shares:
        groups.setdefault((_stem(share.name), share.launches), []).append(share)
    folded = [one for (stem, _), group in groups.items() for one in _folded(stem, group)]
    return tuple(sorted(folded, key=lambda share: -(share.host_ns + share.device_ns)))


def _stem(name: str) -> str:
    numbered = _NUMBERED.fullmatch(name)
    return name if numbered is None else numbered["stem"].rstrip("_")


def _folded(stem: str, group: Sequence[CodeShare]) -> list[CodeShare]:
    usual = median(_time_ns(share) for share in group)
    alike: list[CodeShare] = []
    others: list[CodeShare] = []
    for share in group:
        (alike if abs(_time_ns(share) - usual) <= ALIKE * usual else others).append(share)
    if len(alike) < _MIN_ALIKE:
        return list(group)
    together = CodeShare(
        kind=group[0].kind,
        name=stem,
        host_ns=sum(share.host_ns for share in alike),
        device_ns=sum(share.device_ns for share in alike),
        launches=sum(share.launches for share in alike),
        count=len(alike),
    )
    return [together, *others]


def _time_ns(share: CodeShare) -> int:
    """On the device; the host's differs from one call to the next, and counts where there is nothing else."""
    return share.device_ns or share.host_ns
