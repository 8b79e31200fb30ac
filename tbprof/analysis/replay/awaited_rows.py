"""Which device rows ended each wait.

A copy awaits its own row, since a stream runs in order; a device synchronize the last row of every
stream, unless that ended after its return. What any other one awaited is told by its return: the
row, of those given before it (to its stream, where that is named), that ended last.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.distinct import distinct_lines
from tbprof.analysis.arrays.names import match
from tbprof.analysis.events.calls import Calls
from tbprof.analysis.events.episodes import Episodes
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.waits.awaited import Awaited
from tbprof.trace.columns.arrays import NONE, Int64s
from tbprof.trace.columns.clocks import CLOCK_SLACK_NS

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
