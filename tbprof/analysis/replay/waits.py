"""The episodes that hold up the training, as the replay needs them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.device.device_work import DeviceWork
from tbprof.analysis.events.calls import Calls
from tbprof.analysis.events.episodes import Episodes
from tbprof.analysis.replay.awaited_rows import awaited_rows, awaits_device
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.waits.awaited import Awaited
from tbprof.analysis.waits.base_cost import DEFAULT_COPY_NS, DEFAULT_SYNC_NS
from tbprof.line_rules import STAGED_BYTES
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among, median
from tbprof.trace.columns.clocks import CLOCK_SLACK_NS


@dataclass(frozen=True, slots=True, eq=False)
class ReplayWaits:
    """One entry an episode, or a free of device memory, on a training lane, ascending by start."""

    episode: Int64s
    """`NONE` for a free."""
    start_ns: Int64s
    end_ns: Int64s
    awaited: tuple[tuple[int, ...], ...]
    """The rows whose ends let it return, as positions in `DeviceWork`; none where nothing did."""
    device: Int64s
    """The device all of whose streams it awaits, those beside the training too, or `NONE`."""
    base_ns: Int64s
    """What its calls take when there is nothing to wait for."""
    lag_ns: Int64s
    """From the end of the last awaited row to the return."""
    staged: Int64s
    """Of an upload from memory that is not known to be pinned its own row, or `NONE`. The host copies it
    piece by piece before, or while, it goes to the device; from pinned memory it would go at once."""
    drains: npt.NDArray[np.bool_]
    """Whether it waited for its rows until all that the training had launched had ended, and nothing
    was launched meanwhile: from its return on host and device begin anew together."""


def replay_waits(
    order: StreamOrder, calls: Calls, episodes: Episodes, awaited: Awaited, lanes: tuple[int, ...]
) -> ReplayWaits:
    """What blocked these lanes, each with the rows that it waited for."""
    held_up = episodes.blocking | _is_staged(order.work, calls, episodes)
    chosen = np.flatnonzero(is_among(episodes.lane, lanes) & held_up)
    chosen = chosen[np.argsort(episodes.start_ns[chosen], kind="stable")]
    start, end = episodes.start_ns[chosen], episodes.end_ns[chosen]
    rows = awaited_rows(order, calls, episodes, awaited, chosen)
    done = _last_ends(order.work, rows, start)
    held = done > start
    lag = np.maximum(end - done, 0)
    usual = int(median(lag[held])) if held.any() else DEFAULT_SYNC_NS
    least = np.where(episodes.copy_ns[chosen] > 0, DEFAULT_COPY_NS, 0)
    least = least + np.where(episodes.sync_ns[chosen] > 0, DEFAULT_SYNC_NS, 0)
    awaits_all = awaits_device(calls, episodes, chosen) & (
        _last_beside_ns(order, awaited.device[chosen], start) <= end + CLOCK_SLACK_NS
    )
    return ReplayWaits(
        episode=chosen,
        start_ns=start,
        end_ns=end,
        awaited=_without_beside(rows, order.is_beside, awaits_all),
        device=np.where(awaits_all, awaited.device[chosen], NONE),
        base_ns=np.where(held, np.minimum(end - start, least), end - start),
        lag_ns=np.where(held, lag, usual),
        staged=_staged_rows(episodes, chosen),
        drains=held & is_dry(order, start, end),
    )


def is_dry(order: StreamOrder, start_ns: Int64s, end_ns: Int64s) -> npt.NDArray[np.bool_]:
    """Whether nothing was launched in `[start_ns, end_ns)`, and all from before had ended at its end."""
    work = order.work
    rows = np.flatnonzero((work.launch != NONE) & ~order.is_beside)
    rows = rows[np.argsort(work.launch_start_ns[rows], kind="stable")]
    launched = work.launch_start_ns[rows]
    reach = np.maximum.accumulate(np.append(np.iinfo(np.int64).min, work.end_ns[rows]))
    before = np.searchsorted(launched, start_ns, side="right")
    nothing_meanwhile = before == np.searchsorted(launched, end_ns, side="left")
    dry: npt.NDArray[np.bool_] = nothing_meanwhile & (reach[before] <= end_ns)
    return dry


def _staged_rows(episodes: Episodes, chosen: Int64s) -> Int64s:
    is_upload = episodes.direction[chosen] == DIRECTIONS.index("HtoD")
    from_host = is_upload & (episodes.memory[chosen] != MEMORIES.index("pinned"))
    return np.where(from_host & (episodes.record[chosen] != NONE), episodes.record[chosen], NONE)


def _is_staged(work: DeviceWork, calls: Calls, episodes: Episodes) -> npt.NDArray[np.bool_]:
    """Uploads that were not to block and did: they can't be removed, and hold up the replay."""
    is_upload = (episodes.direction == DIRECTIONS.index("HtoD")) & (episodes.record != NONE)
    from_pageable = episodes.memory == MEMORIES.index("pageable")
    large = episodes.bytes > STAGED_BYTES
    staged = np.flatnonzero(is_upload & from_pageable & large)
    outlasted = work.start_ns[episodes.record[staged]] < calls.end_ns[episodes.first[staged]]
    found = np.zeros(len(large), np.bool_)
    found[staged[outlasted]] = True
    return found


def _last_beside_ns(order: StreamOrder, device: Int64s, at_ns: Int64s) -> Int64s:
    """When each device had done what the streams beside the training had been given by then."""
    last: Int64s = at_ns.copy()
    for number in order.work.devices:
        mine = np.flatnonzero(device == number)
        for given, ended in order.beside(number):
            count = np.searchsorted(given, at_ns[mine], side="right")
            last[mine] = np.where(count > 0, np.maximum(last[mine], ended[count - 1]), last[mine])
    return last


def _without_beside(
    rows: tuple[tuple[int, ...], ...], is_beside: npt.NDArray[np.bool_], awaits_all: npt.NDArray[np.bool_]
) -> tuple[tuple[int, ...], ...]:
    """What a device synchronize finds on streams beside the training depends on when it comes."""
    return tuple(
        tuple(row for row in some if not (all_ and is_beside[row]))
        for some, all_ in zip(rows, awaits_all.tolist(), strict=True)
    )


def _last_ends(work: DeviceWork, rows: tuple[tuple[int, ...], ...], otherwise: Int64s) -> Int64s:
    ends = work.end_ns.tolist()
    last = (
        max((ends[row] for row in some), default=none)
        for some, none in zip(rows, otherwise.tolist(), strict=True)
    )
    return np.fromiter(last, np.int64, len(rows))
