"""The replay as one loop over the device rows, to hold that of runs against it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container

import numpy as np

from tbprof.analysis.replay.launched_rows import LaunchedRows
from tbprof.analysis.replay.replay import Played, Replay
from tbprof.trace.columns.arrays import NONE, Int64s

_LONG_AGO_NS = -(2**62)


class _Loop:
    def __init__(self, replay: Replay, removed: Container[int]) -> None:
        work = replay.order.work
        self.replay, self.removed = replay, removed
        self.starts = [*work.start_ns.tolist(), _LONG_AGO_NS]
        self.ends = [*work.end_ns.tolist(), _LONG_AGO_NS]
        """By row of `DeviceWork`, as recorded until they are played; the last is what `NONE` finds."""
        self.shift = 0
        self.shifts: list[tuple[int, int]] = []
        self.waited: dict[int, int] = {}
        self.queue_ns = 0

    def launch(self, rows: LaunchedRows, number: int, length: int) -> None:
        row, launched = int(rows.rows[number]), int(rows.launched_ns[number])
        arrival = launched - self.shift
        staged = int(rows.staged_ns[number]) if int(rows.staged_by[number]) in self.removed else 0
        awaited = [self.ends[other] + distance for other, distance in rows.awaited[number]]
        free = max([arrival + int(rows.latency_ns[number]) - staged, *awaited])
        blocked = int(rows.blocked_ns[number])
        late = max(self.starts[int(rows.queue_head[number])] - arrival, 0)
        if blocked or late:
            self.queue_ns += late
            self.shift += blocked - late
            self.shifts.append((launched, self.shift))
        self.starts[row] = max(free, self.ends[int(rows.before[number])] + int(rows.gap_ns[number]))
        self.ends[row] = self.starts[row] + length

    def wait(self, number: int) -> None:
        waits = self.replay.waits
        called = int(waits.start_ns[number]) - self.shift
        returned = [called + int(waits.base_ns[number])]
        if int(waits.episode[number]) not in self.removed:
            lag, device = int(waits.lag_ns[number]), int(waits.device[number])
            returned += [self.ends[row] + lag for row in waits.awaited[number]]
            if device != NONE:
                returned.append(self._beside(device, called) + lag)
        self.waited[int(waits.episode[number])] = max(returned) - called
        self.shift = int(waits.end_ns[number]) - max(returned)
        self.shifts.append((int(waits.start_ns[number]), self.shift))

    def _beside(self, device: int, at_ns: int) -> int:
        counts = [
            (bisect_right(given, at_ns), ended) for given, ended in self.replay.order.beside(device)
        ]  # fmt: skip
        return max([0, *(int(ended[count - 1]) for count, ended in counts if count)])


def played_row_by_row(
    replay: Replay, rows: LaunchedRows, length_ns: Int64s, removed: Container[int]
) -> Played:
    """The replayed steps of a window with these lengths of its launched rows."""
    loop, waits = _Loop(replay, removed), replay.waits
    first, end = (int(edge) for edge in (replay.steps.start_ns[replay.replayed_steps].min(),
                                         replay.steps.end_ns[replay.replayed_steps].max()))  # fmt: skip
    inside = np.flatnonzero((waits.start_ns >= first) & (waits.start_ns < end))
    # At one instant first the launch, then the wait.
    events = [(int(at), 0, number) for number, at in enumerate(rows.launched_ns)]
    events += [(int(waits.start_ns[number]), 1, number) for number in inside.tolist()]
    for _, is_wait, number in sorted(events):
        if is_wait:
            loop.wait(number)
        else:
            loop.launch(rows, number, int(length_ns[number]))
    device_end_ns = max((loop.ends[row] for row in replay.rows_in_steps.tolist()), default=0)
    return Played(device_end_ns, tuple(loop.shifts), loop.waited, loop.queue_ns)
