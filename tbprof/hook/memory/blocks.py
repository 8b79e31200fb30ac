"""The life of each storage in a recorded step, and what it was for."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter_ns

import torch

from tbprof.model import MEMORY_KINDS

_SELDOM_NS = 200_000
"""Between two readings: each makes a dictionary of some hundred numbers. What comes and goes in between is
counted from the storages themselves."""


@dataclass(slots=True)
class AllocatorReadings:
    """Reserved and allocated bytes by device and moment; nothing of a device that keeps no cache."""

    found: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)
    _next_ns: int = 0
    _is_open: bool = True

    def look(self, device: str, moment: int) -> None:
        """A storage of that device has come: ask the allocator, unless it was asked just now."""
        if not self._is_open or not device.startswith("cuda"):
            return
        now_ns = perf_counter_ns()
        if now_ns < self._next_ns and device in self.found:
            return
        try:
            said = torch.cuda.memory_stats_as_nested_dict(device)
            reading = (said["reserved_bytes"]["all"]["current"], said["allocated_bytes"]["all"]["current"])
        except (RuntimeError, KeyError):
            # An allocator of the program's own keeps no figures.
            self._is_open = False
            self.found.clear()
            return
        self.found.setdefault(device, {})[moment] = reading
        self._next_ns = perf_counter_ns() + _SELDOM_NS


class Unused:
    """The unused memory of one device, followed from moment to moment."""

    def __init__(self, readings: dict[int, tuple[int, int]] | None) -> None:
        self._readings = readings or {}
        self._reserved = self._used = 0

    def after(self, moment: int, change: int) -> int:
        """What lies unused in the cache once so many bytes have been taken or given back."""
        self._used += change
        if moment in self._readings:
            self._reserved, self._used = self._readings[moment]
        return max(0, self._reserved - self._used)


MOST_BLOCKS = 200_000
"""The most blocks of one step; a step of a large model makes tens of thousands."""
_MOST_ROWS = 20
_MOST_POINTS = 500


@dataclass(slots=True)
class Block:
    """One storage. Moments are numbers of events."""

    bytes: int
    device: str
    phase: str
    """In which it was first seen: `before` the first module, `forward`, `backward` or `optimizer`."""
    module: str = ""
    line: str = ""
    kind: str = ""
    """What it is known to be; "" where its life says it."""
    is_made: bool = True
    """Whether an operator of this step made it; else it was there before."""
    is_used_in_backward: bool = False
    made: int = -1
    freed: int | None = None
    freed_phase: str = ""

    def judged(self, first_call: int | None) -> str:
        """Its kind. `first_call` is the moment at which the first module was called."""
        if self.kind:
            return self.kind
        if not self.is_made:
            return "inputs" if self.phase in ("before", "forward") else "other"
        if first_call is not None and self.made < first_call:
            return "temporaries" if self.freed is not None and self.freed < first_call else "inputs"
        if self.phase in ("before", "forward"):
            if self.is_used_in_backward or self.freed_phase == "backward":
                return "activations"
            return "other" if self.freed is None else "temporaries"
        return "temporaries"


@dataclass(slots=True)
class Log:
    """All blocks, and when they came and went."""

    blocks: list[Block] = field(default_factory=list)
    times_ns: list[int] = field(default_factory=list)
    """The times of the events by their numbers."""
    first_call: int | None = None
    allocator: AllocatorReadings = field(default_factory=AllocatorReadings)
    is_open: bool = True
    is_whole: bool = True

    def add(self, block: Block) -> None:
        block.made = self._next()
        self.blocks.append(block)
        self.allocator.look(block.device, block.made)
        if len(self.blocks) >= MOST_BLOCKS:
            self.is_open = self.is_whole = False

    def free(self, block: Block, phase: str) -> None:
        if self.is_open and block.freed is None:
            block.freed, block.freed_phase = self._next(), phase

    def begin(self) -> None:
        """What has been seen so far was there when the step began, whenever it was found."""
        if self.times_ns:
            self.times_ns[:] = [self.times_ns[-1]] * len(self.times_ns)

    def call(self) -> None:
        """A module is called."""
        if self.first_call is None:
            self.first_call = len(self.times_ns)

    def _next(self) -> int:
        self.times_ns.append(perf_counter_ns())
        return len(self.times_ns) - 1


@dataclass(frozen=True, slots=True)
class Peak:
    """The peak of the fullest device."""

    device: str
    bytes: int
    ns: int
    phase: str
    kinds: dict[str, int]
    modules: dict[str, int]
    lines: dict[str, int]
    curve: list[tuple[int, ...]]
    """The time in ns, and the bytes of each kind."""
    cached: list[int] | None
    """At each of these points, what lay unused in torch's cache; None where it keeps or says nothing."""
    cached_bytes: int | None
    """At the peak."""


def peak_of(log: Log) -> Peak | None:
    """The peak; None where nothing was followed. A GPU comes before the host."""
    by_device = defaultdict[str, list[Block]](list)
    for block in log.blocks:
        by_device[block.device].append(block)
    gpus = {device: blocks for device, blocks in by_device.items() if device != "cpu"}
    peaks = [_device_peak(device, blocks, log) for device, blocks in (gpus or by_device).items()]
    return max(peaks, key=lambda peak: peak.bytes, default=None)


def _device_peak(device: str, blocks: list[Block], log: Log) -> Peak:
    column = {kind: number for number, kind in enumerate(MEMORY_KINDS)}
    changes = [(one.made, one, one.bytes) for one in blocks]
    changes += [(one.freed, one, -one.bytes) for one in blocks if one.freed is not None]
    held, total, most, at, cause = [0] * len(column), 0, -1, 0, blocks[0]
    readings = log.allocator.found.get(device)
    unused, cached = Unused(readings), 0
    curve: list[tuple[int, ...]] = []
    for moment, block, size in sorted(changes, key=lambda change: change[0]):
        held[column[block.judged(log.first_call)]] += size
        total += size
        # What was there before the step was in use before it was seen.
        left = unused.after(moment, size if block.is_made or size < 0 else 0)
        curve.append((log.times_ns[moment], *held, left))
        if total > most:
            most, at, cause, cached = total, moment, block, left
    there = [one for one in blocks if one.made <= at and (one.freed is None or one.freed > at)]
    kinds, points = Counter[str](), _fewer(curve)
    for one in there:
        kinds[one.judged(log.first_call)] += one.bytes
    return Peak(
        device=device,
        bytes=most,
        ns=log.times_ns[at],
        phase="forward" if cause.phase == "before" else cause.phase,
        kinds={kind: kinds[kind] for kind in MEMORY_KINDS},
        modules=_largest((one.module, one.bytes) for one in there),
        lines=_largest((one.line, one.bytes) for one in there),
        curve=[point[:-1] for point in points],
        cached=None if readings is None else [point[-1] for point in points],
        cached_bytes=None if readings is None else cached,
    )


def _largest(named: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums = Counter[str]()
    for name, size in named:
        sums[name] += size
    return dict(sums.most_common(_MOST_ROWS))


def _fewer(curve: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """At most `_MOST_POINTS`: of each span of time its fullest moment, to keep the peak."""
    if len(curve) <= _MOST_POINTS:
        return curve
    first, last = curve[0][0], curve[-1][0]
    ends = [first + (last - first) * part // _MOST_POINTS for part in range(1, _MOST_POINTS)]
    fullest: dict[int, tuple[int, ...]] = {}
    for point in curve:
        part = bisect_right(ends, point[0])
        if part not in fullest or sum(point[1:-1]) > sum(fullest[part][1:-1]):
            fullest[part] = point
    return [fullest[part] for part in sorted(fullest)]
