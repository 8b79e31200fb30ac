"""The episodes that hold up the training, as the replay needs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tbprof.analysis.base_cost import DEFAULT_COPY_NS, DEFAULT_SYNC_NS
from tbprof.analysis.calls import Calls
from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.episodes import ABSENT, Episodes
from tbprof.analysis.replay_schedule import NO_ROW
from tbprof.trace.columns import Int64s

__all__ = ["ReplayWaits", "replay_waits"]

_CLOCK_SLACK_NS = 10_000
"""On ROCm calls return up to 8.5 us before the recorded end of what they awaited."""


@dataclass(frozen=True, slots=True, eq=False)
class ReplayWaits:
    """One entry an episode on a training lane, ascending by start."""

    episode: Int64s
    start_ns: Int64s
    end_ns: Int64s
    awaited: Int64s
    """The row whose end let it return, as a position in `DeviceWork`, or `NO_ROW`."""
    base_ns: Int64s
    """What its calls take when there is nothing to wait for."""
    lag_ns: Int64s
    """From the end of the awaited row to the return."""


def replay_waits(
    work: DeviceWork, calls: Calls, episodes: Episodes, awaited_device: Int64s, chosen: Int64s
) -> ReplayWaits:
    """Name for each of the chosen episodes the row that ended its wait.

    A read from the device awaits its own copy; anything else the last row to end before it
    returned, of those launched before it.
    """
    chosen = chosen[np.argsort(episodes.start_ns[chosen], kind="stable")]
    start, end = episodes.start_ns[chosen], episodes.end_ns[chosen]
    issued = np.where(episodes.is_copy, calls.end_ns[episodes.first], episodes.start_ns)
    awaited = _awaited_rows(work, episodes, issued, awaited_device, chosen)
    done = np.where(awaited == NO_ROW, start, work.end_ns[awaited]) if len(work.rows) else start
    held = done > start
    lag = np.maximum(end - done, 0)
    usual = int(np.median(lag[held])) if held.any() else DEFAULT_SYNC_NS
    least = np.where(episodes.copy_ns[chosen] > 0, DEFAULT_COPY_NS, 0)
    least = least + np.where(episodes.sync_ns[chosen] > 0, DEFAULT_SYNC_NS, 0)
    return ReplayWaits(
        episode=chosen,
        start_ns=start,
        end_ns=end,
        awaited=awaited,
        base_ns=np.where(held, np.minimum(end - start, least), end - start),
        lag_ns=np.where(held, lag, usual),
    )


def _awaited_rows(
    work: DeviceWork, episodes: Episodes, issued: Int64s, awaited_device: Int64s, chosen: Int64s
) -> Int64s:
    """A copy has launched its own row by the end of its call; a synchronise launches nothing."""
    awaited = np.full(len(chosen), NO_ROW, np.int64)
    device, issued = awaited_device[chosen], issued[chosen]
    returned = episodes.end_ns[chosen] + _CLOCK_SLACK_NS
    for number in work.devices:
        mine = np.flatnonzero(device == number)
        rows = np.flatnonzero(work.device == number)
        rows = rows[np.argsort(work.end_ns[rows], kind="stable")]
        at = np.searchsorted(work.end_ns[rows], returned[mine], side="right") - 1
        awaited[mine] = _launched_by(work, rows, at, issued[mine])
    own = episodes.record[chosen]
    reads = (own != ABSENT) & (episodes.direction[chosen] == DIRECTIONS.index("DtoH"))
    return np.where(reads, own, awaited)


def _launched_by(work: DeviceWork, rows: Int64s, at: Int64s, issued: Int64s) -> Int64s:
    """Going back from `at` in `rows`, the first that was launched by `issued`; else `NO_ROW`."""
    open_ = at >= 0
    while open_.any():
        late = open_ & (work.launch_start_ns[rows[np.maximum(at, 0)]] > issued)
        if not late.any():
            break
        at = np.where(late, at - 1, at)
        open_ = at >= 0
    return np.where(at >= 0, rows[np.maximum(at, 0)], NO_ROW)
