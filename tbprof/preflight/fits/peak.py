"""What memory a run would have needed at its fullest moment, and for what."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tbprof.preflight.fits.blocks import Block, CachingAllocator, Call, Kind, Log, Phase, rounded

_MOST_ROWS = 12


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak of one device, the fullest."""

    device: int
    requested_bytes: int
    """The bytes of tensors alone, at their own fullest moment."""
    allocated_bytes: int
    """In blocks of the allocator, in multiples of 512 bytes; all sizes below are of these."""
    reserved_bytes: int
    """In the allocator's segments, at the end."""
    running_bytes: int
    """The bytes of tensors and of what an operator of the CPU has allocated inside while it runs, at their
    own fullest moment; never less than `requested_bytes`."""
    running: str
    """The operator that makes it more, with its line; "" where none does."""
    step: int
    """The optimizer step of the peak, from 1."""
    phase: Phase
    line: str
    """Where the block was allocated that made the peak."""
    kinds: Mapping[str, int]
    modules: Mapping[str, int]
    """The largest; "" has what no module's forward made."""
    lines: Mapping[str, int]


def peak_of(log: Log) -> Peak | None:
    """The peak of the fullest device; None where nothing would have been on one."""
    by_device = defaultdict[int, list[tuple[int, Block, bool]]](list)
    for event in log.in_order():
        by_device[event[1].device].append(event)
    peaks = [_device_peak(device, events, log) for device, events in by_device.items()]
    return max(peaks, key=lambda peak: peak.reserved_bytes, default=None)


def _device_peak(device: int, events: list[tuple[int, Block, bool]], log: Log) -> Peak:
    allocator, addresses = CachingAllocator(), dict[int, int]()
    requested = allocated = most_requested = most_allocated = 0
    fullest = events[0]
    for event in events:
        _, block, is_new = event
        sign = 1 if is_new else -1
        requested, allocated = requested + sign * block.bytes, allocated + sign * rounded(block.bytes)
        most_requested = max(most_requested, requested)
        if allocated > most_allocated:
            most_allocated, fullest = allocated, event
        if is_new:
            addresses[id(block)] = allocator.allocate(block.bytes)
        else:
            allocator.free(addresses.pop(id(block)))
    at, block, _ = fullest
    running_bytes, running = _running(events, log.calls)
    there = [one for _, one, is_new in events if is_new and one.made <= at and (one.freed or at + 1) > at]
    return Peak(
        device=device,
        requested_bytes=most_requested,
        allocated_bytes=most_allocated,
        reserved_bytes=allocator.reserved_bytes,
        running_bytes=max(running_bytes, most_requested),
        running=running if running_bytes > most_requested else "",
        step=block.step + 1,
        phase=block.phase,
        line=block.line,
        kinds=_sums((_kind(one, log.backward_starts), one) for one in there),
        modules=_sums((one.module, one) for one in there),
        lines=_sums((one.line, one) for one in there),
    )


def _running(events: list[tuple[int, Block, bool]], calls: list[Call]) -> tuple[int, str]:
    """The most that tensors and one running operator took together, and which."""
    device, most, running, requested = events[0][1].device, 0, "", 0
    upcoming = iter(events)
    event = next(upcoming, None)
    for call in calls:
        while event is not None and event[0] <= call.after:
            requested += event[1].bytes if event[2] else -event[1].bytes
            event = next(upcoming, None)
        if call.device == device and requested + call.inside_bytes > most:
            most, running = requested + call.inside_bytes, f"{call.operator} at {call.line}"
    return most, running


def _kind(block: Block, backward_starts: list[int]) -> Kind:
    if block.kind is not None:
        return block.kind
    after = bisect_left(backward_starts, block.made)
    if block.phase != "forward" or after == len(backward_starts):
        return "temporaries"
    was_there = block.freed is None or block.freed >= backward_starts[after]
    return "activations" if was_there else "temporaries"


def _sums(named: Iterable[tuple[str, Block]]) -> dict[str, int]:
    sums = Counter[str]()
    for name, block in named:
        sums[name] += rounded(block.bytes)
    return dict(sums.most_common(_MOST_ROWS))
