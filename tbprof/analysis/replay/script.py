"""What the replay plays: device rows and waits, in the order in which the host came to them.

Most rows are bound by their launch and by the row before them alone. As many of these as follow each
other on a stream between two waits are a run, which needs no loop: it ends after what it takes from the end
of the row before it, or, where the host came late, after what it takes from the launch that binds it most.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int32s, Int64s

LONG_AGO_NS = -(2**62)
"""When the row ended that a row without one before it comes after."""


@dataclass(frozen=True, slots=True)
class Held:
    """What few rows have: more that they can't start before, or that holds up their launch."""

    ready_ns: int
    """When its launch, as recorded, had reached the device."""
    gap_ns: int
    """The time from the end of the row before it."""
    blocked_ns: int
    """For how long the launch was recorded to block for a place in the queue."""
    awaited: tuple[tuple[int, int], ...]
    """Slots of rows of other streams that it waits for, each with the distance from its end, in ns."""
    staged_by: int
    """The episode that copied its data on the host first; without that episode it is not done."""
    staged_ns: int
    """For how long; 0 where none did."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait of the host, for rows or for all that a device has been given."""

    episode: int
    start_ns: int
    end_ns: int
    awaited: tuple[int, ...]
    """Slots of the rows."""
    device: int
    base_ns: int
    lag_ns: int


@dataclass(frozen=True, slots=True)
class Span:
    """Rows between two waits, fewer than the queue holds, and the wait after them."""

    first_row: int
    end_row: int
    first_run: int
    end_run: int
    queued_behind: tuple[tuple[int, int], ...]
    """What must have started before launches of the span return: the slot at whose end it surely has,
    and the instant of the first of these launches."""
    is_blocked: bool
    """Whether a launch was recorded to block for a place in the queue."""
    wait: Wait | None


Run: TypeAlias = "tuple[int, int, int, Held | None]"
"""Slot of the row before it; what it takes from the end of that; when it ends at the earliest as its launches
were recorded; what else its first row has. A plain tuple is taken apart in a third of the time."""


@dataclass(frozen=True, eq=False)
class Script:
    """Rows in the order of their launches. A slot is a place in the list of ends: of rows that are not
    played first, then of each run in its turn.
    """

    rows: Int64s
    """In `DeviceWork`."""
    launched_ns: Int64s
    ready_ns: Int64s
    """When the launch of each row, as recorded, had reached the device."""
    gap_ns: Int64s
    """The time from the end of the row before it on its stream."""
    length_ns: Int64s
    """What the rows take when they are played."""
    queue_head: Int32s
    """The row that must have started before the launch returns, or `NONE`."""
    held: Mapping[int, Held]
    """What is held back, by row."""
    by_stream: Int32s
    """The rows stream by stream, as they ran."""
    first: Int32s
    """The begin of each run in `by_stream`, in the order in which they are played."""
    last: Int32s
    """The same: its last row there."""
    base: tuple[int, ...]
    """The slot of the row before each run."""
    run: Int32s
    """The run of each row."""
    spans: tuple[Span, ...]
    fixed_ends_ns: tuple[int, ...]
    """The ends of the slots whose rows are not played."""
    last_slots: tuple[int, ...]
    """The slots of which the last to end is the end of the window on the device."""
    beside: Mapping[int, Sequence[tuple[Sequence[int], Sequence[int]]]]
    """For each device and each stream beside the training: when its rows were given, and ended."""

    def stretched(self, length_ns: Int64s) -> Script:
        """The same with other lengths of its rows."""
        return dataclasses.replace(self, length_ns=length_ns)

    def hurried(self, gained_ns: Callable[[Int64s], Int64s]) -> Script:
        """The same with each instant of the host earlier by what it has gained by then."""
        gained = gained_ns(self.launched_ns)
        held = {
            row: dataclasses.replace(each, ready_ns=each.ready_ns - int(gained[row]))
            for row, each in self.held.items()
        }
        waits = [span.wait for span in self.spans if span.wait is not None]
        instants = [instant for wait in waits for instant in (wait.start_ns, wait.end_ns)]
        instants += [launched for span in self.spans for _, launched in span.queued_behind]
        earlier = np.array(instants, np.int64)
        earlier -= gained_ns(earlier)
        of_waits, of_queues = (iter(part.tolist()) for part in np.split(earlier, [2 * len(waits)]))
        return dataclasses.replace(
            self,
            launched_ns=self.launched_ns - gained,
            ready_ns=self.ready_ns - gained,
            held=held,
            spans=tuple(_moved(span, of_waits, of_queues) for span in self.spans),
        )

    @cached_property
    def first_rows(self) -> Int64s:
        """The first rows of the spans, ascending."""
        return np.array([span.first_row for span in self.spans], np.int64)

    @cached_property
    def last_row(self) -> tuple[int, ...]:
        """The last row of each run."""
        return tuple(self.by_stream[self.last].tolist())

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """In the order in which they are played."""
        step = (self.gap_ns + self.length_ns)[self.by_stream]
        taken = np.cumsum(step)
        total = taken[self.last] - taken[self.first] + step[self.first]
        reaches = self.ready_ns + self.length_ns
        # What else holds a row up comes with it.
        reaches[list(self.held)] = LONG_AGO_NS
        reaches = reaches[self.by_stream] - taken
        in_file = np.argsort(self.first, kind="stable")
        earliest = np.empty(len(self.first), np.int64)
        if len(self.first):
            earliest[in_file] = np.maximum.reduceat(reaches, self.first[in_file])
        earliest += taken[self.last]
        held = map(self.held.get, self.by_stream[self.first].tolist())
        return tuple(zip(self.base, total.tolist(), earliest.tolist(), held, strict=True))


def _moved(span: Span, of_waits: Iterator[int], of_queues: Iterator[int]) -> Span:
    """The span with the next instants of these as its own."""
    wait = span.wait
    if wait is not None:
        wait = dataclasses.replace(wait, start_ns=next(of_waits), end_ns=next(of_waits))
    behind = tuple((slot, next(of_queues)) for slot, _ in span.queued_behind)
    return dataclasses.replace(span, wait=wait, queued_behind=behind)
