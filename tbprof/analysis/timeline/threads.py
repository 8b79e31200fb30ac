"""The lanes of the host's threads: labels, Python frames, ops and calls, each nested on lines of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.names import match
from tbprof.analysis.facts import Facts
from tbprof.analysis.timeline.lanes import LaneKind, TimelineLane, line_groups
from tbprof.analysis.timeline.tracks import SpanTable, kind_number, nested_lines
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.eras import STEP_PREFIX

_GROUPS = {
    Category.USER_ANNOTATION: "label",
    Category.PYTHON: "frame",
    Category.CPU_OP: "op",
    Category.RUNTIME: "call",
    Category.OVERHEAD: "other",
    Category.OTHER: "other",
}
"""In the order in which they lie below each other. Left out are what devices did, and CUPTI's
records of waits, which repeat calls of the host."""

_ORDER: tuple[LaneKind, ...] = ("main", "autograd", "thread")


def thread_lanes(facts: Facts) -> Iterator[tuple[TimelineLane, SpanTable]]:
    """The thread of the steps, those of autograd, then the others by their first row."""
    slices = facts.trace.slices
    rows = np.flatnonzero(is_among(slices.category, list(_GROUPS)))
    lanes = slices.lane[rows]
    rows = rows[np.argsort(lanes, kind="stable")]
    numbers, begin = np.unique(np.sort(lanes, kind="stable"), return_index=True)
    by_lane = dict(zip(numbers.tolist(), np.split(rows, begin[1:]), strict=True)) if len(rows) else {}
    first = {lane: int(slices.start_ns[mine].min()) for lane, mine in by_lane.items()}
    kinds = {lane: _kind(facts, lane) for lane in by_lane}
    waits = _wait_rows(facts)
    for lane in sorted(by_lane, key=lambda lane: (_ORDER.index(kinds[lane]), first[lane])):
        yield _thread(facts, lane, kinds[lane], by_lane[lane], waits)


def _kind(facts: Facts, lane: int) -> LaneKind:
    if lane not in facts.training_threads:
        return "thread"
    if lane in facts.steps.lanes or not facts.steps.recorded:
        return "main"
    return "autograd"


def _wait_rows(facts: Facts) -> npt.NDArray[np.bool_]:
    """For each row whether it is a call of an episode that blocked."""
    episodes = facts.episodes
    joined = episodes.joined[episodes.blocking & (episodes.joined != NONE)]
    waits = np.zeros(len(facts.trace.slices), np.bool_)
    waits[facts.calls.rows[episodes.first[episodes.blocking]]] = True
    waits[facts.calls.rows[joined]] = True
    return waits


def _thread(
    facts: Facts, lane: int, kind: LaneKind, rows: Int64s, waits: npt.NDArray[np.bool_]
) -> tuple[TimelineLane, SpanTable]:
    slices = facts.trace.slices
    start = slices.start_ns[rows]
    end = start + slices.duration_ns[rows]
    lines, groups = np.zeros(len(rows), np.int64), tuple[str, ...]()
    kinds = np.full(len(rows), kind_number("other"), np.int64)
    for group in dict.fromkeys(_GROUPS.values()):
        wanted = [category for category, of in _GROUPS.items() if of == group]
        mine = np.flatnonzero(is_among(slices.category[rows], wanted))
        nested = nested_lines(start[mine], end[mine])
        lines[mine] = nested + len(groups)
        groups += line_groups(group, nested)
        kinds[mine] = kind_number(group)
    kinds[waits[rows]] = kind_number("wait")
    steps = match(facts.trace, rows, STEP_PREFIX)
    kinds[steps & (kinds == kind_number("label"))] = kind_number("step")
    spans = SpanTable(start, end, lines, kinds, rows, slices.name[rows].astype(np.int64))
    return TimelineLane(kind, None, None, _thread_name(facts, lane), groups), spans


def _thread_name(facts: Facts, lane: int) -> str:
    thread = facts.trace.lanes[lane]
    return thread.name or thread.thread
