"""What the timeline shows one below the other: devices, queues and episodes. Instants are the trace's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from tbprof.analysis.exposure import own_pieces
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import overlap_ns, subtract
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct
from tbprof.trace.columns.columns import Category

LaneKind: TypeAlias = Literal[
    "idle", "use", "communication", "stream", "queue", "episodes", "main", "autograd", "thread"
]

_WORK = {Category.KERNEL: "kernel", Category.MEMCPY: "copy", Category.MEMSET: "memset"}


@dataclass(frozen=True, slots=True)
class TimelineLane:
    kind: LaneKind
    device: int | None
    """The device of a device's lane."""
    stream: int | None
    name: str
    """The name or number of a thread; else ""."""
    lines: tuple[str, ...]
    """What each line holds: `idle`, `share`, `work`, `depth`, `episode`, `label`, `frame`, `op`, `call` or
    `other`.
    """


def line_groups(group: str, lines: Int64s) -> tuple[str, ...]:
    """The lines of one group, as many as the spans need."""
    return (group,) * (int(lines.max(initial=-1)) + 1)


def device_lanes(facts: Facts) -> Iterator[tuple[TimelineLane, SpanTable]]:
    """Idle of every device, how full it is, what it communicates, its streams and its queue.

    Where much of a device's work was lost, nobody knows what is idle or queued.
    """
    devices = facts.work.devices
    known = devices if facts.device_is_known else ()
    for device in known:
        yield TimelineLane("idle", device, None, "", ("idle",)), _idle(facts, device)
    for device in facts.work.kernels_of:
        yield TimelineLane("use", device, None, "", ("share",)), _nothing()
    for device in devices:
        if len(facts.parts.communication[device]):
            yield TimelineLane("communication", device, None, "", ("work",)), _communication(facts, device)
    for device in devices:
        for stream in distinct(facts.work.stream[facts.work.device == device]).tolist():
            yield _stream(facts, device, stream)
    for device in known:
        yield TimelineLane("queue", device, None, "", ("depth",)), _nothing()


def episode_lane(facts: Facts) -> tuple[TimelineLane, SpanTable]:
    """Sync points and copies; those of several threads at once on lines of their own."""
    episodes = facts.episodes
    lines = nested_lines(episodes.start_ns, episodes.end_ns)
    kind = np.where(episodes.blocking, kind_number("blocking"), kind_number("free"))
    spans = SpanTable(
        episodes.start_ns, episodes.end_ns, lines, kind, np.arange(len(kind)), facts.site_of_episode
    )
    return TimelineLane("episodes", None, None, "", line_groups("episode", lines)), spans


def _idle(facts: Facts, device: int) -> SpanTable:
    """Each moment with its one cause."""
    empty = facts.idle.empty[device]
    by_cause = {**facts.causes.empty[device], "queued": subtract(facts.idle.gaps[device], empty)}
    start = np.concatenate([pieces.start_ns for pieces in by_cause.values()])
    end = np.concatenate([pieces.end_ns for pieces in by_cause.values()])
    kind = np.repeat(
        [kind_number(cause) for cause in by_cause], [len(pieces) for pieces in by_cause.values()]
    )
    none = np.full(len(start), NONE, np.int64)
    return SpanTable(start, end, np.zeros(len(start), np.int64), kind, none, none)


def _communication(facts: Facts, device: int) -> SpanTable:
    """Pieces of the collectives: of those that run at once the earlier has the moment."""
    work, at = facts.work, facts.collectives.at
    mine = at[work.device[at] == device]
    begin, end = own_pieces(work.start_ns[mine], work.end_ns[mine])
    exposed = facts.parts.communication_exposed[device]
    edges = distinct(np.concatenate([begin, end, exposed.start_ns, exposed.end_ns]))
    left, right = edges[:-1], edges[1:]
    # Of rows that an earlier one covers wholly nothing is left, and they begin where that one ends.
    row = np.searchsorted(end, left, side="right")
    inside = (row < len(mine)) & (left >= begin[np.minimum(row, len(mine) - 1)])
    left, right, rows = left[inside], right[inside], work.rows[mine[row[inside]]]
    is_exposed = overlap_ns(exposed, left, right) > 0
    kind = np.where(is_exposed, kind_number("exposed"), kind_number("covered"))
    names = facts.trace.slices.name[rows].astype(np.int64)
    return SpanTable(left, right, np.zeros(len(left), np.int64), kind, rows, names)


def _stream(facts: Facts, device: int, stream: int) -> tuple[TimelineLane, SpanTable]:
    work, slices = facts.work, facts.trace.slices
    mine = np.flatnonzero((work.device == device) & (work.stream == stream))
    rows = work.rows[mine]
    numbers = np.zeros(max(Category) + 1, np.int64)
    for category, kind in _WORK.items():
        numbers[category] = kind_number(kind)
    lines = nested_lines(work.start_ns[mine], work.end_ns[mine])
    kinds = numbers[slices.category[rows]]
    kinds[facts.parts.is_communication[mine]] = kind_number("communication")
    names = slices.name[rows].astype(np.int64)
    spans = SpanTable(work.start_ns[mine], work.end_ns[mine], lines, kinds, rows, names)
    return TimelineLane("stream", device, stream, "", line_groups("work", lines)), spans


def _nothing() -> SpanTable:
    none = np.empty(0, np.int64)
    return SpanTable(none, none, none, none, none, none)


KINDS = (
    *("kernel", "copy", "memset", "step", "label", "frame", "op", "call", "wait", "other"),
    *("blocking", "free"),
    *("sync", "data", "launch", "garbage_collection", "staging", "loading"),
    *("allocator", "collective", "another_device"),
    *("compile", "unrecorded", "profiler", "unknown", "queued"),
    *("communication", "exposed", "covered"),
)
"""What a span is: device work and host rows by category, episodes by whether they blocked, idle
by its cause, in the order in which causes are stacked. A `wait` is a call that blocked the host.
`communication` is a device row; on the lane of its own it is `exposed` or `covered` by computing."""


MAX_LINES = 48
"""Deeper nesting is drawn on the last line."""


def kind_number(kind: str) -> int:
    return KINDS.index(kind)


@dataclass(frozen=True, slots=True, eq=False)
class SpanTable:
    """Spans in any order, one entry of each column a span."""

    start_ns: Int64s
    end_ns: Int64s
    line: Int64s
    kind: Int64s
    """Index into `KINDS`."""
    row: Int64s
    """Row of the trace, for episodes their number; `NONE` for idle."""
    name: Int64s
    """Index into the trace's names, for episodes that of their site; `NONE` for idle."""


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """The spans of one kind on one line of a lane, ascending by start."""

    lane: int
    line: int
    kind: int
    start_ns: Int64s
    end_ns: Int64s
    reach_ns: Int64s
    """Latest end so far: ascending, too."""
    row: Int64s
    name: Int64s

    def during(self, start_ns: int, end_ns: int) -> slice:
        """Positions among which are all that touch `[start_ns, end_ns)`."""
        first = int(np.searchsorted(self.reach_ns, start_ns, side="left"))
        return slice(first, max(int(np.searchsorted(self.start_ns, end_ns, side="left")), first))


def tracks_of(lane: int, spans: SpanTable) -> Iterator[Track]:
    """One track for each line and kind that there is."""
    order = np.lexsort((spans.start_ns, spans.kind, spans.line))
    place = (spans.line * len(KINDS) + spans.kind)[order]
    cuts = np.flatnonzero(np.diff(place)) + 1
    for part in np.split(order, cuts) if len(order) else ():
        start, end = spans.start_ns[part], spans.end_ns[part]
        yield Track(
            lane=lane,
            line=int(spans.line[part[0]]),
            kind=int(spans.kind[part[0]]),
            start_ns=start,
            end_ns=end,
            reach_ns=np.maximum.accumulate(end),
            row=spans.row[part],
            name=spans.name[part],
        )


def nested_lines(start_ns: Int64s, end_ns: Int64s) -> Int64s:
    """For each span how many of the others it lies in, at most `MAX_LINES - 1`.

    It is counted which spans that began before, or began with it and are longer, have not ended.
    """
    order = np.lexsort((-end_ns, start_ns))
    start = start_ns[order]
    # One that takes no time holds none, but is not over when it begins.
    ended = np.sort(np.maximum(end_ns, start_ns + 1), kind="stable")
    lines = np.empty(len(order), np.int64)
    lines[order] = np.arange(len(order)) - np.searchsorted(ended, start, side="right")
    return np.minimum(lines, MAX_LINES - 1)
