"""The episodes that hold up the training, as the replay needs them.

Which device rows ended each wait.

A copy awaits its own row, since a stream runs in order; a device synchronize the last row of every
stream, unless that ended after its return. What any other one awaited is shown by its return: the
row, of those given before it (to its stream, where that is named), that ended last.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.awaited import DEFAULT_COPY_NS, DEFAULT_SYNC_NS, Awaited
from tbprof.analysis.calls import Calls
from tbprof.analysis.copy_kinds import DIRECTIONS, MEMORIES
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.names import match
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.line_rules import STAGED_BYTES
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import CLOCK_SLACK_NS, NONE, Int64s, is_among, median


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
    """The time from the end of the last awaited row to the return."""
    staged: Int64s
    """The own row of an upload from memory that is not known to be pinned, or `NONE`. The host copies it
    piece by
    piece by piece before, or while, it goes to the device; from pinned memory it would go at once."""
    drains: npt.NDArray[np.bool_]
    """Whether it waited for its rows until all that the training had launched had ended, and nothing
    was launched meanwhile: from its return on host and device begin again together."""


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


_OF_DEVICE = r"(?:cudaDevice|hipDevice|cuCtx)Synchronize"


def awaited_rows(
    order: StreamOrder, calls: Calls, episodes: Episodes, awaited: Awaited, chosen: Int64s
) -> tuple[tuple[int, ...], ...]:
    """For each of the chosen episodes positions in `DeviceWork`; none where nothing was awaited."""
    work = order.work
    if len(work.rows) == 0:
        return ((),) * len(chosen)
    found = np.full((len(chosen), _most_streams(order)), NONE, np.int64)
    issued, returned = episodes.start_ns[chosen], episodes.end_ns[chosen]
    device, stream = awaited.device[chosen], awaited.stream[chosen]
    of_device = awaits_device(calls, episodes, chosen)
    for number in work.devices:
        for column, each in enumerate(order.streams_of(number)):
            mine = (device == number) & of_device
            found[mine, column] = order.last_given(number, each, issued[mine])
    own = episodes.record[chosen]
    found[own != NONE] = NONE
    found[own != NONE, 0] = own[own != NONE]
    found[work.end_ns[found] > returned[:, None] + CLOCK_SLACK_NS] = NONE
    untold = (own == NONE) & ~of_device
    found[untold, 0] = _ended_last(order, device[untold], stream[untold], issued[untold], returned[untold])
    return tuple(tuple(row for row in rows if row != NONE) for rows in found.tolist())


def awaits_device(calls: Calls, episodes: Episodes, chosen: Int64s) -> npt.NDArray[np.bool_]:
    """Whether an episode awaits all streams of its device."""
    return match(calls.trace, calls.rows[episodes.first[chosen]], _OF_DEVICE)


def _most_streams(order: StreamOrder) -> int:
    return max(len(order.streams_of(number)) for number in order.work.devices)


def _ended_last(
    order: StreamOrder, device: Int64s, stream: Int64s, issued: Int64s, returned: Int64s
) -> Int64s:
    """The row that ended last before the return, of those given before the call."""
    work = order.work
    awaited = np.full(len(device), NONE, np.int64)
    for number, named in distinct_lines(np.stack([device, stream], axis=1))[0].tolist():
        mine = np.flatnonzero((device == number) & (stream == named))
        rows = np.flatnonzero((work.device == number) & ((named < 0) | (work.stream == named)))
        rows = rows[np.argsort(work.end_ns[rows], kind="stable")]
        at = np.searchsorted(work.end_ns[rows], returned[mine], side="right") - 1
        awaited[mine] = _given_by(order, rows, at, issued[mine])
    return awaited


def _given_by(order: StreamOrder, rows: Int64s, at: Int64s, issued: Int64s) -> Int64s:
    """Going back from `at` in `rows`, the first that was given by `issued`; else `NONE`."""
    if len(rows) == 0:
        return np.full(len(at), NONE, np.int64)
    while True:
        late = (at >= 0) & (order.issued_ns[rows[np.maximum(at, 0)]] > issued)
        if not late.any():
            return np.where(at >= 0, rows[np.maximum(at, 0)], NONE)
        at = np.where(late, at - 1, at)
