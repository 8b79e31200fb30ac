"""Frees of device memory that hold up the training, as the replay needs them.

A free waits until its device has done all that it was given, as a synchronize does: where a wait before it
goes, it waits in its place. What it takes besides comes after that. No trace says which device it was, so
that it awaits each one that was done by its return; for any other it has not waited.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import ReplayWaits, is_dry
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.clocks import CLOCK_SLACK_NS
from tbprof.trace.columns.columns import Slices

_LONG_AGO_NS = -(2**62)


def with_frees(waits: ReplayWaits, order: StreamOrder, slices: Slices, frees: Int64s) -> ReplayWaits:
    """The waits, and these calls among them."""
    if len(frees) == 0 or len(order.work.rows) == 0:
        return waits
    return _merged(waits, _free_waits(order, slices.start_ns[frees], slices.end_of(frees)))


def _free_waits(order: StreamOrder, start: Int64s, end: Int64s) -> ReplayWaits:
    device, done, awaited = _awaited(order, start, end)
    held = done > start
    own = end - np.clip(done, start, end)
    none = np.full(len(start), NONE, np.int64)
    return ReplayWaits(
        episode=none,
        start_ns=start,
        end_ns=end,
        awaited=tuple(map(tuple, awaited)),
        device=device,
        base_ns=own,
        lag_ns=own,
        staged=none,
        drains=held & is_dry(order, start, end),
    )


def _awaited(order: StreamOrder, start: Int64s, end: Int64s) -> tuple[Int64s, Int64s, list[list[int]]]:
    """For each free the device that was done last, or `NONE`, when it was, and the rows that it awaited."""
    device, last = np.full(len(start), NONE, np.int64), np.full(len(start), _LONG_AGO_NS, np.int64)
    awaited: list[list[int]] = [[] for _ in start]
    for number in order.work.devices:
        given = np.stack([order.last_given(number, stream, start) for stream in order.streams_of(number)])
        done = np.where(given == NONE, _LONG_AGO_NS, order.work.end_ns[given]).max(axis=0)
        is_done = done <= end + CLOCK_SLACK_NS
        later = is_done & (done > last)
        device[later], last[later] = number, done[later]
        is_row = is_done & (given != NONE) & ~order.is_beside[given]
        for stream, at in zip(*np.nonzero(is_row), strict=True):
            awaited[at].append(int(given[stream, at]))
    return device, last, awaited


def _merged(some: ReplayWaits, others: ReplayWaits) -> ReplayWaits:
    starts = np.concatenate([some.start_ns, others.start_ns])
    order = np.argsort(starts, kind="stable")
    awaited = (*some.awaited, *others.awaited)
    return ReplayWaits(
        awaited=tuple(awaited[at] for at in order.tolist()),
        **{
            name: np.concatenate([getattr(some, name), getattr(others, name)])[order]
            for name in ("episode", "start_ns", "end_ns", "device", "base_ns", "lag_ns", "staged", "drains")
        },
    )
