"""A part of a trace as a file of its own, for other viewers: Chrome's JSON, with notes as tracks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec
import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category, Trace

_NS_PER_US = 1000
_NOTES = 1
"""Process of the notes; those of the trace come after it."""

_ON_DEVICE = frozenset(
    {Category.KERNEL, Category.MEMCPY, Category.MEMSET, Category.GPU_ANNOTATION, Category.SYNC}
)


@dataclass(frozen=True, slots=True)
class Note:
    """A remark about a stretch of time; those of one track may not overlap."""

    track: str
    text: str
    start_ns: int
    end_ns: int


def excerpt(
    trace: Trace, rows: Int64s, arrows: Sequence[tuple[int, int]], notes: Sequence[Note], *, zero_ns: int
) -> bytes:
    """One JSON object with these rows of the trace.

    Args:
        trace: The trace.
        rows: What to keep.
        arrows: Pairs of a launching call's row and a device row.
        notes: What to say beside it; their instants are the trace's.
        zero_ns: The instant from which the excerpt's own time counts.
    """
    places = _places(trace)
    events = [
        *_note_events(notes, zero_ns),
        *_names(trace, rows, places),
        *_slices(trace, rows, places, zero_ns),
        *_arrows(trace, arrows, places, zero_ns),
    ]
    return msgspec.json.encode({"displayTimeUnit": "ms", "traceEvents": events})


_Places: TypeAlias = "list[dict[str, int]]"
"""The process and the thread that stand for each lane in the excerpt."""


def _places(trace: Trace) -> _Places:
    processes: dict[str, int] = {}
    for lane in trace.lanes:
        processes.setdefault(lane.process, _NOTES + 1 + len(processes))
    return [{"pid": processes[lane.process], "tid": at} for at, lane in enumerate(trace.lanes, 1)]


def _note_events(notes: Sequence[Note], zero_ns: int) -> Iterator[dict[str, Any]]:
    if not notes:
        return
    yield _named("process_name", {"pid": _NOTES, "tid": 0}, "tbprof")
    yield {"ph": "M", "name": "process_sort_index", "pid": _NOTES, "args": {"sort_index": -1}}
    tracks = {track: at for at, track in enumerate(dict.fromkeys(note.track for note in notes), 1)}
    for track, number in tracks.items():
        yield _named("thread_name", {"pid": _NOTES, "tid": number}, track)
    for note in notes:
        place = {"pid": _NOTES, "tid": tracks[note.track]}
        yield {
            "ph": "X",
            "cat": "tbprof",
            "name": note.text,
            **place,
            **_times(note.start_ns, note.end_ns, zero_ns),
        }


def _names(trace: Trace, rows: Int64s, places: _Places) -> Iterator[dict[str, Any]]:
    slices = trace.slices
    lanes, first = np.unique(slices.lane[rows], return_index=True)
    for lane, row in zip(lanes.tolist(), rows[first].tolist(), strict=True):
        thread = trace.lanes[lane]
        side = "GPU" if int(slices.category[row]) in _ON_DEVICE else "host"
        yield _named("process_name", places[lane], f"{side} {thread.process}")
        yield _named("thread_name", places[lane], thread.name or thread.thread)


def _slices(trace: Trace, rows: Int64s, places: _Places, zero_ns: int) -> Iterator[dict[str, Any]]:
    slices = trace.slices
    end = slices.end_of(rows)
    columns = (slices.name[rows], slices.category[rows], slices.lane[rows], slices.start_ns[rows], end)
    for name, category, lane, start_ns, end_ns in zip(*(column.tolist() for column in columns), strict=True):
        yield {
            "ph": "X",
            "cat": Category(category).name.lower(),
            "name": trace.names[name],
            **places[lane],
            **_times(start_ns, end_ns, zero_ns),
        }


def _arrows(
    trace: Trace, arrows: Sequence[tuple[int, int]], places: _Places, zero_ns: int
) -> Iterator[dict[str, Any]]:
    slices = trace.slices
    for number, (call, started) in enumerate(arrows, 1):
        for phase, row in (("s", call), ("f", started)):
            at = (int(slices.start_ns[row]) - zero_ns) / _NS_PER_US
            head = {"ph": phase, "bp": "e", "id": number, "cat": "launch", "name": "launch"}
            yield {**head, **places[int(slices.lane[row])], "ts": at}


def _times(start_ns: int, end_ns: int, zero_ns: int) -> dict[str, float]:
    return {"ts": (start_ns - zero_ns) / _NS_PER_US, "dur": (end_ns - start_ns) / _NS_PER_US}


def _named(kind: str, place: dict[str, int], name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, **place, "args": {"name": name}}
