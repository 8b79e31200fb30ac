"""The lines of the timeline: spans of one kind that lie behind each other, ready to be cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

KINDS = (
    *("kernel", "copy", "memset", "step", "label", "frame", "op", "call", "wait", "other"),
    *("blocking", "free"),
    *("sync", "data", "launch", "staging", "loading"),
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
