"""What a snapshot of torch's allocator says: segments, blocks with the line that allocated them, and history.

The form is that of `torch.cuda.memory._snapshot()`: `segments` with their `blocks`, and `device_traces`, a
list of events a device, as long as the allocator's history was recorded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tbprof.analysis.attribution.sources import parse_frame
from tbprof.errors import SnapshotError
from tbprof.plain_pickle import read_plain_pickle
from tbprof.records import dataclass
from tbprof.safe_open import content_within, status_of_regular

_MOST_BYTES = 512 * 1024 * 1024
_USED = "active_allocated"
_AWAITED = ("active_awaiting_free", "active_pending_free")
_FREE = "inactive"
_LONGEST_NAME = 4_096
"""The most characters of the name of a file or a function: the longest path of Linux."""


@dataclass(frozen=True, slots=True)
class Held:
    """Blocks in use that were allocated on one line."""

    place: str | None
    """`file(line): function` of the user's, else the innermost frame; None without history."""
    bytes: int
    blocks: int


@dataclass(frozen=True, slots=True)
class FailedAllocation:
    """For which the device had no memory."""

    place: str | None
    """The place, as that of `Held`."""
    asked_bytes: int
    free_bytes: int
    """On the device, outside of the allocator."""


@dataclass(frozen=True, slots=True)
class DeviceSnapshot:
    device: int
    segments: int
    reserved_bytes: int
    allocated_bytes: int
    awaited_bytes: int
    """Given back, while a stream may still use them."""
    free_bytes: int
    """Reserved and in no use."""
    largest_free_bytes: int
    """The size of one block: more than that at once needs another segment."""
    held: tuple[Held, ...]
    """The largest first."""
    events: Mapping[str, int]
    """The number of each action of the recorded history, such as `segment_alloc` and `oom`."""
    failed: FailedAllocation | None
    """The last one of the history."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    path: str
    devices: tuple[DeviceSnapshot, ...]


def read_snapshot(path: Path) -> Snapshot:
    """Read a file that `torch.cuda.memory._dump_snapshot` wrote; nothing of it is run.

    Raises:
        SnapshotError: It is no such file, is damaged, or holds more than plain values.
    """
    try:
        size_bytes = status_of_regular(path).st_size
        if size_bytes > _MOST_BYTES:
            raise SnapshotError(f"{path} has {size_bytes:,} bytes, over the limit of {_MOST_BYTES:,}")
        data = content_within(path, _MOST_BYTES)
    except OSError as error:
        raise SnapshotError(f"{path} can't be read ({error.strerror})") from error
    return snapshot_in(data, str(path))


def snapshot_in(data: bytes, name: str) -> Snapshot:
    """The content of such a file; nothing of it is run. `name` is how an error calls it.

    Raises:
        SnapshotError: It is no such file, is damaged, or holds more than plain values.
    """
    try:
        return Snapshot(name, devices_of(read_plain_pickle(data)))
    except SnapshotError as error:
        raise SnapshotError(f"{name} is no snapshot that can be read: {error}") from error


def devices_of(value: Any) -> tuple[DeviceSnapshot, ...]:
    """The devices of what a pickle held.

    Raises:
        SnapshotError: It is no snapshot.
    """
    if not isinstance(value, dict) or not isinstance(value.get("segments"), list):
        raise SnapshotError("it has no `segments`: write it with torch.cuda.memory._dump_snapshot")
    found = list(filter(_is_segment, value["segments"]))
    segments = defaultdict[int, list[dict[str, Any]]](list)
    for segment in found:
        segments[_whole(segment, "device")].append(segment)
    traces = value.get("device_traces")
    histories = dict(enumerate(traces)) if isinstance(traces, list) else {}
    known = {number for number, history in histories.items() if isinstance(history, list) and history}
    _refuse_shared([*(segment["blocks"] for segment in found), *(histories[number] for number in known)])
    places = _Places()
    return tuple(
        _device(number, segments.get(number, []), histories.get(number), places)
        for number in sorted({*segments, *known})
    )


def _refuse_shared(lists: list[list[Any]]) -> None:
    """A pickle can mean one list many times: a small file, with more to count than anyone can wait for."""
    filled = [id(one) for one in lists if one]
    if len(set(filled)) < len(filled):
        raise SnapshotError("segments or devices share their blocks or events, as none of torch do")


def _device(number: int, segments: list[dict[str, Any]], history: Any, places: _Places) -> DeviceSnapshot:
    by_state, free, held = Counter[str](), [0], defaultdict[str | None, list[int]](list)
    for block in (block for segment in segments for block in filter(_is_block, segment["blocks"])):
        state, size = block.get("state"), _whole(block, "size")
        if not isinstance(state, str):
            continue
        by_state[state] += size
        if state == _FREE:
            free.append(size)
        elif state == _USED:
            held[places.of(_frames(block))].append(size)
    return DeviceSnapshot(
        device=number,
        segments=len(segments),
        reserved_bytes=sum(_whole(segment, "total_size") for segment in segments),
        allocated_bytes=by_state[_USED],
        awaited_bytes=sum(by_state[state] for state in _AWAITED),
        free_bytes=by_state[_FREE],
        largest_free_bytes=max(free),
        held=tuple(
            sorted(
                (Held(place, sum(sizes), len(sizes)) for place, sizes in held.items()),
                key=lambda one: (-one.bytes, one.place or ""),
            )
        ),
        events=dict(Counter(_actions(history))),
        failed=_failure(history, places),
    )


def _frames(record: dict[str, Any]) -> Any:
    """The stack of a block or an event; torch 2.0 keeps that of a block in its history, the newest first."""
    history = record.get("history")
    if "frames" not in record and isinstance(history, list) and history and isinstance(history[0], dict):
        return history[0].get("frames")
    return record.get("frames")


def _failure(history: Any, places: _Places) -> FailedAllocation | None:
    events = history if isinstance(history, list) else []
    failed = [one for one in events if isinstance(one, dict) and one.get("action") == "oom"]
    if not failed:
        return None
    last = failed[-1]
    return FailedAllocation(places.of(_frames(last)), _whole(last, "size"), _whole(last, "device_free"))


def _is_segment(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("blocks"), list)


def _is_block(value: Any) -> bool:
    return isinstance(value, dict)


def _whole(record: dict[str, Any], key: str) -> int:
    """A size or a number; 0 where it is none, or one that can't be."""
    value = record.get(key)
    return value if isinstance(value, int) and value >= 0 else 0


def _actions(history: Any) -> Iterable[str]:
    events = history if isinstance(history, list) else []
    return (event["action"] for event in events if isinstance(event, dict) and _is_text(event.get("action")))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


class _Places:
    """The line that a stack leads to. Blocks may share one stack, which is read once."""

    def __init__(self) -> None:
        self._known: dict[int, str | None] = {}

    def of(self, frames: Any) -> str | None:
        """`frames` must outlive this: it is known by its identity."""
        if id(frames) not in self._known:
            self._known[id(frames)] = _place(frames)
        return self._known[id(frames)]


def _place(frames: Any) -> str | None:
    """The innermost frame of the user's own code, else the innermost one; frames of C++ are nobody's."""
    innermost = None
    for frame in filter(_is_frame, frames if isinstance(frames, list) else []):
        written = f"{frame['filename']}({_whole(frame, 'line')}): {frame['name']}"
        if parse_frame(written, exact=True) is not None:
            return written
        innermost = innermost or written
    return innermost


def _is_frame(value: Any) -> bool:
    """Whether it is one of Python."""
    return (
        isinstance(value, dict)
        and all(_is_name(value.get(key)) for key in ("filename", "name"))
        and (value["filename"].endswith(".py") or value["filename"].startswith("<"))
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_NAME
