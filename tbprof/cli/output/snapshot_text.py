"""A snapshot of torch's allocator as text and JSON."""

from __future__ import annotations

import dataclasses

from tbprof.escaping import json_text, plain
from tbprof.snapshot.snapshot import DeviceSnapshot, FailedAllocation, Snapshot
from tbprof.texts.figures.quantities import count, share, size
from tbprof.texts.memory.snapshots import failed_sentence

_SCHEMA = 1
_MOST_HELD = 20
_EVENTS = {
    "alloc": ("block allocated", "blocks allocated"),
    "segment_alloc": ("segment taken from the driver", "segments taken from the driver"),
    "segment_free": ("segment given back to it", "segments given back to it"),
    "oom": ("allocation failed", "allocations failed"),
}
"""Of the history, what is worth a word, of one and of several."""


def snapshot_json(snapshot: Snapshot) -> str:
    """All that is known, as one object."""
    return json_text({"schema": _SCHEMA, "snapshot": dataclasses.asdict(snapshot)})


def snapshot_text(snapshot: Snapshot) -> str:
    """Device by device: what is allocated, what is free, and the lines that hold most."""
    if not snapshot.devices:
        return f"{plain(snapshot.path)}: nothing is allocated, and no history was recorded.\n"
    return "\n".join("".join(f"{plain(line)}\n" for line in _lines(device)) for device in snapshot.devices)


def _lines(device: DeviceSnapshot) -> list[str]:
    lines = [
        f"GPU {device.device}: {size(device.allocated_bytes)} allocated of {size(device.reserved_bytes)} "
        f"reserved in {count(device.segments, 'segment')}."
    ]
    if device.failed is not None:
        lines.insert(0, f"GPU {device.device}: {_failed(device.failed)}")
    if device.free_bytes:
        lines.append(
            f"Free: {size(device.free_bytes)}, the largest block {size(device.largest_free_bytes)} "
            f"({share(device.largest_free_bytes / device.free_bytes)})."
        )
    if device.awaited_bytes:
        lines.append(f"Given back, and still awaited by a stream: {size(device.awaited_bytes)}.")
    told = [count(device.events[name], *words) for name, words in _EVENTS.items() if device.events.get(name)]
    if told:
        lines.append(f"History: {', '.join(told)}.")
    lines += [
        f"{size(one.bytes):>12}  {count(one.blocks, 'block'):>14}  {one.place or 'line not recorded'}"
        for one in device.held[:_MOST_HELD]
    ]
    left = device.held[_MOST_HELD:]
    if left:
        lines.append(f"{size(sum(one.bytes for one in left)):>12}  on {count(len(left), 'more line')}")
    return lines


def _failed(failed: FailedAllocation) -> str:
    return failed_sentence(asked_bytes=failed.asked_bytes, free_bytes=failed.free_bytes, place=failed.place)
