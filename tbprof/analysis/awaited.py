"""The part of a wait that the awaited device spent on recorded work.

That is the overlap of the calls with the busy union of all streams of the awaited device,
unless a `cuda_sync` row names what was awaited: then of those streams, and of the streams
that these had to wait for, and so on. (The copy's own stream alone explains 7 %
instead of 99 % of the waits of a real trace.)
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.calls import Calls
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import Intervals, overlap_ns
from tbprof.analysis.names import matching_rows
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, lookup, percentile
from tbprof.trace.columns.columns import Category, Trace

_ALL_STREAMS = -1


@dataclass(frozen=True, slots=True, eq=False)
class Awaited:
    """One entry an episode."""

    device: Int64s
    """Number of the awaited device, -1 where none ran anything."""
    stream: Int64s
    """Number of the awaited stream, -1 where no `cuda_sync` row names one."""
    explained_ns: Int64s


@dataclass(frozen=True, slots=True, eq=False)
class _StreamWaits:
    """`waiting` had to wait for `awaited`; each pair of a device once, by its first time."""

    first_ns: Int64s
    device: Int64s
    waiting: Int64s
    awaited: Int64s

    def seen_by(self, instant_ns: int) -> int:
        return int(np.searchsorted(self.first_ns, instant_ns, side="right"))

    def reach(self, device: int, stream: int, seen: int) -> frozenset[int]:
        """All streams that `stream` waits for through the first `seen` pairs, itself included."""
        reached = {stream}
        of_device = self.device[:seen] == device
        while True:
            waits = of_device & is_among(self.waiting[:seen], list(reached))
            more = reached | set(self.awaited[:seen][waits].tolist())
            if more == reached:
                return frozenset(reached)
            reached = more


def find_awaited(trace: Trace, work: DeviceWork, calls: Calls, episodes: Episodes) -> Awaited:
    """Name what each episode waited for, and how much of the wait that explains."""
    named_stream, named_device = _named(trace, calls, episodes)
    device = _devices(work, calls, episodes, named_device)
    waits = _stream_waits(trace)
    groups: dict[tuple[int, frozenset[int]], list[int]] = {}
    for episode, (on, stream, end) in enumerate(
        zip(device.tolist(), named_stream.tolist(), episodes.end_ns.tolist(), strict=True)
    ):
        known = stream != _ALL_STREAMS
        streams = waits.reach(on, stream, waits.seen_by(end)) if known else frozenset[int]()
        groups.setdefault((on, streams), []).append(episode)
    explained = np.zeros(len(device), np.int64)
    for (on, streams), members in groups.items():
        busy = _busy(work, on, streams)
        chosen = np.array(members)
        explained[chosen] = _explained(busy, calls, episodes, chosen)
    return Awaited(device, named_stream, explained)


def _explained(busy: Intervals, calls: Calls, episodes: Episodes, chosen: Int64s) -> Int64s:
    first, joined = episodes.first[chosen], episodes.joined[chosen]
    in_first = overlap_ns(busy, calls.start_ns[first], calls.end_ns[first])
    in_joined = overlap_ns(busy, calls.start_ns[joined], calls.end_ns[joined])
    whole = in_first + np.where(joined == NONE, 0, in_joined)
    return np.where(episodes.blocking[chosen], whole, 0)


def _busy(work: DeviceWork, device: int, streams: frozenset[int]) -> Intervals:
    if not streams:
        nothing = np.empty(0, np.int64)
        return work.busy.get(device, Intervals(nothing, nothing))
    return work.busy_of((work.device == device) & is_among(work.stream, list(streams)))


def _named(trace: Trace, calls: Calls, episodes: Episodes) -> tuple[Int64s, Int64s]:
    """Stream and device that a `cuda_sync` row names for each episode, -1 where none does."""
    slices = trace.slices
    rows = np.flatnonzero((slices.category == Category.SYNC) & (slices.correlation > 0))
    synchronize = np.where(episodes.is_copy, episodes.joined, episodes.first)
    wanted = np.where(synchronize == NONE, 0, slices.correlation[calls.rows[synchronize]])
    row = lookup(slices.correlation[rows], rows, wanted)
    stream = np.maximum(trace.stream.at(row), trace.awaited_stream.at(row))
    return stream, trace.device.at(row)


def _devices(work: DeviceWork, calls: Calls, episodes: Episodes, named: Int64s) -> Int64s:
    """The copy's device, else the named one, else that of the last launch on any thread."""
    if len(work.rows) == 0:
        return np.full(len(named), -1, np.int64)
    by_launch = np.argsort(work.launch_start_ns, kind="stable")
    at = np.searchsorted(work.launch_start_ns[by_launch], calls.start_ns[episodes.first]) - 1
    last = work.device[by_launch[np.maximum(at, 0)]]
    device = np.where(named >= 0, named, last)
    return np.where(episodes.record == NONE, device, work.device[episodes.record])


def _stream_waits(trace: Trace) -> _StreamWaits:
    rows = matching_rows(trace, "Stream Wait Event", Category.SYNC)
    start = trace.slices.start_ns[rows]
    rows = rows[np.argsort(start, kind="stable")]
    pairs = (trace.device.at(rows), trace.stream.at(rows), trace.awaited_stream.at(rows))
    first: dict[tuple[int, int, int], int] = {}
    for device, waiting, awaited, at in zip(
        *(column.tolist() for column in pairs), trace.slices.start_ns[rows].tolist(), strict=True
    ):
        if min(waiting, awaited) >= 0:
            first.setdefault((device, waiting, awaited), at)
    edges = np.array([(at, *pair) for pair, at in first.items()], np.int64).reshape(-1, 4)
    return _StreamWaits(edges[:, 0], edges[:, 1], edges[:, 2], edges[:, 3])


DEFAULT_COPY_NS = 8_000
DEFAULT_SYNC_NS = 5_000
"""Base costs where a trace has too few calls with nothing to wait for; seen on A100 and V100."""

_MIN_CALLS = 5
_BASE_PERCENTILE = 10


def net_wait_ns(calls: Calls, episodes: Episodes, awaited: Awaited) -> Int64s:
    """One figure an episode: its wait less the base cost of its calls, at least 0.

    The base cost of a call is the 10th percentile over those calls of its name during which
    the device did nothing.
    """
    base = _base_ns(calls, episodes, awaited)
    cost = base[episodes.first] + np.where(episodes.joined == NONE, 0, base[episodes.joined])
    net: Int64s = np.maximum(episodes.wait_ns - cost, 0)
    return net


def _base_ns(calls: Calls, episodes: Episodes, awaited: Awaited) -> Int64s:
    """Base cost of each call."""
    base = np.where(calls.is_copy, DEFAULT_COPY_NS, DEFAULT_SYNC_NS)
    free = episodes.blocking & (awaited.explained_ns == 0)
    involved = np.concatenate([episodes.first[free], episodes.joined[free]])
    involved = involved[involved != NONE]
    names = calls.trace.slices.name[calls.rows]
    duration = calls.end_ns - calls.start_ns
    for name in distinct(names[involved]).tolist():
        lengths = duration[involved[names[involved] == name]]
        if len(lengths) >= _MIN_CALLS:
            base[names == name] = int(percentile(lengths, _BASE_PERCENTILE))
    return base
