"""What the window would have taken without some of its waits, by replaying it.

Host work between calls keeps its length: a host instant of the replay is the recorded one less
a shift, and only waits change the shift. Threads that hand over to each other (forward and
autograd) share it; the others keep their times, and their own waits hold up nobody. Device rows keep
their length and start as `schedule` says. A wait that stays returns when the rows that it
awaited are done; a removed one costs what its calls cost when there is nothing to wait for. Frees of device
memory are waits that always stay.

Replayed with all its waits a window must come out as it was recorded. How far it does not is the
replay's error; above `MAX_REPLAY_ERROR` it says nothing.

What fixing wins is asked of the program as it runs without the profiler, where the length of its steps
is known. A call of torch or the driver takes longer while it is recorded; what the host does between calls
does not, nor does the device. So a recording shows a host that is later than the program's: it waits less
for the device than the program does, and the device is idle for longer. The replay takes the same part off
all calls, as large as makes the steps as long as they were without the profiler, and what is won is given as
a share of the recorded window. tests/bench/calibration.md has what that made better on an H200.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping
from dataclasses import field
from functools import cached_property, partial

import numpy as np

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import NEVER, Intervals, overlap_ns, subtract, union
from tbprof.analysis.replay.launched_rows import LaunchedRows
from tbprof.analysis.replay.schedule import DeviceSchedule
from tbprof.analysis.replay.script import LONG_AGO_NS, Held, Script, Span, Wait
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import ReplayWaits
from tbprof.analysis.replay.writing import write_script
from tbprof.analysis.steps import Steps
from tbprof.model import MAX_REPLAY_ERROR
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s, is_among

_HALVINGS = 7
_MOST_ADDED = 0.98

USUALLY_ADDED = 0.25
"""The part of a call that the profiler adds: more in three quarters of the fitted programs on an H200. Where
the device is the limit the length of a step does not show it, and one process is not like another."""

MAX_ROWS = 20_000
"""Device rows that are replayed: a window with more is judged by its first warm steps."""


@dataclass(frozen=True, eq=False)
class Replay:
    """A window that can be run again without some of the waits of its training lanes."""

    order: StreamOrder
    schedule: DeviceSchedule
    steps: Steps
    waits: ReplayWaits
    replayed_steps: slice
    """The steps that are run. Where they are a part of the window, what they win is taken for all warm ones:
    a cold step is long for reasons that no wait has."""
    calls: Intervals
    """When the host was in calls of torch or the driver, its waits among them."""
    slowdown: float | None
    """How many times as long as without the profiler a step was; None where nobody timed that."""
    _lengths: dict[tuple[frozenset[int], bytes], int] = field(default_factory=dict)
    """Lengths by what was removed: findings, bundles and the plan ask for the same."""

    @cached_property
    def recorded_ns(self) -> int:
        """The time from the start of the first step to the end of the last and of the work launched in
        them.
        """
        last = self.order.work.end_ns[self._rows_in_steps].max(initial=self._end_ns)
        return int(last) - self._start_ns

    @cached_property
    def unchanged_ns(self) -> int:
        """The same as the replay of the unchanged window has it."""
        return self._window_ns(play(self._script, frozenset()))

    @property
    def error(self) -> float:
        """How far the replay of the unchanged window is off, as a share of it."""
        return abs(self.unchanged_ns - self.recorded_ns) / max(self.recorded_ns, 1)

    @property
    def is_consistent(self) -> bool:
        return self.error <= MAX_REPLAY_ERROR

    def saving_ns(self, removed: Int64s, spared: Intervals = NEVER) -> int:
        """What the window gets shorter by without the waits of these episodes, at least 0.

        `spared` is what the host need not do either.
        """
        whole = self._length_ns(frozenset(), NEVER)
        gone = self._length_ns(frozenset(removed.tolist()), spared)
        won = max(whole - gone, 0) * self.unchanged_ns // max(whole, 1)
        replayed = len(self.steps.names[self.replayed_steps])
        warm = len(self.steps) - sum(self.steps.cold)
        return won * max(warm, replayed) // replayed

    def queue_wait_ns(self, removed: Int64s) -> int:
        """How much longer launches of the replayed steps wait for a place in the queue without these waits.

        A host that no longer waits for a value may soon wait there.
        """
        if not (self._script.queue_head != NONE).any():
            return 0
        with_all, without = (play(self._script, gone) for gone in (frozenset(), frozenset(removed.tolist())))
        return max(without.queue_ns - with_all.queue_ns, 0)

    @cached_property
    def added_share(self) -> float:
        """The part of the time in calls that the profiler added; 0 where that is not known."""
        if self.slowdown is None or self.slowdown <= 1:
            return 0.0
        least, most = 0.0, _MOST_ADDED
        for _ in range(_HALVINGS):
            middle = (least + most) / 2
            is_too_slow = self._played_without(middle)[1] * self.slowdown > self._end_ns - self._start_ns
            least, most = (middle, most) if is_too_slow else (least, middle)
        return most

    @cached_property
    def longer_waits_ns(self) -> Mapping[int, int]:
        """How much longer the wait of each episode is without the profiler, in time of the recording."""
        if self.slowdown is None:
            return {}
        played, whole_ns = self._played_without(max(self.added_share, USUALLY_ADDED))
        took_ns = dict(zip(self.waits.episode.tolist(), self.waits.end_ns - self.waits.start_ns, strict=True))
        scaled = {each: ns * self.unchanged_ns // max(whole_ns, 1) for each, ns in played.waited_ns.items()}
        return {each: max(ns - int(took_ns[each]), 0) for each, ns in scaled.items()}

    def gained_ns(self, removed: Int64s, spared: Intervals = NEVER) -> Int64s:
        """How much the host gains in each step without the waits of these episodes, and without `spared`.

        One figure a step; 0 for steps that are not replayed, or in which it loses.
        """
        script, _ = self._script_without(0, spared)
        played = play(script, frozenset(removed.tolist()))
        known = np.array([(0, 0), *played.shifts], np.int64)
        at = np.searchsorted(known[1:, 0], self.steps.end_ns, side="left")
        reached = known[at, 1] + self._gained_ns(0, spared, self.steps.end_ns)
        gained = np.maximum(np.diff(reached, prepend=0), 0)
        replayed = np.zeros(len(self.steps), np.bool_)
        replayed[self.replayed_steps] = True
        return np.where(replayed, gained, 0)

    def stretched_ns(self, rows: Int64s, factor: float) -> int:
        """How long the replayed steps take with these device rows so many times as long.

        Times of the host stay: what the host does for each row does not depend on how long the row is.
        """
        lengths = self._script.length_ns
        is_longer = is_among(self._script.rows, rows)
        longer = np.where(is_longer, (lengths * factor).astype(np.int64), lengths)
        return self._window_ns(play(self._script.stretched(longer), frozenset()))

    @property
    def rows_in_steps(self) -> Int64s:
        """Device rows of the training that were launched inside a replayed step."""
        return self._rows_in_steps

    @cached_property
    def _start_ns(self) -> int:
        return int(self.steps.start_ns[self.replayed_steps].min())

    @cached_property
    def _end_ns(self) -> int:
        return int(self.steps.end_ns[self.replayed_steps].max())

    @cached_property
    def _rows_in_steps(self) -> Int64s:
        """Device rows of the training that were launched inside a replayed step."""
        step = self.steps.index_of(self.order.work.launch_start_ns)
        first, last, _ = self.replayed_steps.indices(len(self.steps))
        return np.flatnonzero((step >= first) & (step < last) & ~self.order.is_beside)

    @cached_property
    def _script(self) -> Script:
        start_ns, end_ns = self._start_ns, self._end_ns
        rows = LaunchedRows.of(self.order, self.schedule, self.waits, start_ns, end_ns)
        return write_script(rows, start_ns, end_ns, self._rows_in_steps)

    def _length_ns(self, removed: frozenset[int], spared: Intervals) -> int:
        """The length of the window without the profiler, as far as that is known."""
        key = removed, spared.start_ns.tobytes() + spared.end_ns.tobytes()
        if key not in self._lengths:
            is_whole = len(spared) == 0
            script, gained_ns = (
                self._unprofiled if is_whole else self._script_without(self.added_share, spared)
            )
            self._lengths[key] = self._window_ns(play(script, removed), gained_ns)
        return self._lengths[key]

    def _window_ns(self, played: Played, gained_ns: int = 0) -> int:
        host_end = self._end_ns - gained_ns - (played.shifts[-1][1] if played.shifts else 0)
        return max(host_end, played.device_end_ns or host_end) - self._start_ns

    @cached_property
    def _unprofiled(self) -> tuple[Script, int]:
        return self._script_without(self.added_share)

    def _script_without(self, share: float, spared: Intervals = NEVER) -> tuple[Script, int]:
        """The script without this part of its calls and `spared`, and what the host gains by its end."""
        if share == 0 and len(spared) == 0:
            return self._script, 0
        gained_ns = self._gained_ns(share, spared, np.array([self._end_ns]))
        return self._script.hurried(partial(self._gained_ns, share, spared)), int(gained_ns[0])

    def _played_without(self, share: float) -> tuple[Played, int]:
        """The window without this part of its calls, and how long it is."""
        script, gained_ns = self._script_without(share)
        played = play(script, frozenset())
        return played, self._window_ns(played, gained_ns)

    def _gained_ns(self, share: float, spared: Intervals, instants: Int64s) -> Int64s:
        """How much earlier than recorded the host is at each instant, were this part of its calls gone, and
        `spared` as well.
        """
        since = np.full(len(instants), self._start_ns)
        until = np.maximum(instants, since)
        spared = subtract(spared, self._waiting)
        calls = subtract(self._own_work, spared) if len(spared) else self._own_work
        gained: Int64s = (share * overlap_ns(calls, since, until)).astype(np.int64)
        return gained + overlap_ns(spared, since, until)

    @cached_property
    def _waiting(self) -> Intervals:
        return union(self.waits.start_ns, self.waits.end_ns)

    @cached_property
    def _own_work(self) -> Intervals:
        return subtract(self.calls, self._waiting)


def steps_to_replay(work: DeviceWork, steps: Steps) -> slice:
    """All steps if they have few device rows; else warm ones from the first, up to `MAX_ROWS`."""
    if len(work.rows) <= MAX_ROWS:
        return slice(0, len(steps))
    first = next((at for at, cold in enumerate(steps.cold) if not cold), 0)
    step = steps.index_of(work.launch_start_ns)
    rows = np.cumsum(np.bincount(step[step >= first], minlength=len(steps))[first:])
    return slice(first, first + max(int(np.searchsorted(rows, MAX_ROWS, side="right")), 1))


@dataclass(frozen=True, slots=True)
class Played:
    """How a window came out."""

    device_end_ns: int
    """When the last of its rows ended."""
    shifts: tuple[tuple[int, int], ...]
    """How much earlier than recorded the host is, after each instant (as recorded) at which that changed."""
    waited_ns: Mapping[int, int]
    """How long each wait took, by episode."""
    queue_ns: int
    """How long launches waited for a place in the queue."""


def play(script: Script, removed: Container[int]) -> Played:
    """Run it without the waits of the episodes in `removed`."""
    play = _Play(script, removed)
    for span in script.spans:
        play.run(span)
    device_end_ns = max(map(play.ends_ns.__getitem__, script.last_slots), default=0)
    return Played(device_end_ns, tuple(play.shifts), play.waited_ns, play.queue_ns)


class _Play:
    """One time through a script."""

    def __init__(self, script: Script, removed: Container[int]) -> None:
        self.ends_ns = list(script.fixed_ends_ns)
        """Ends by slot, as far as the play has come."""
        self.shifts: list[tuple[int, int]] = []
        self.waited_ns: dict[int, int] = {}
        self.queue_ns = 0
        self._script = script
        self._removed = removed
        self._shift_ns = 0
        self._shifts_ns: list[int] = []
        """At the start of each span."""
        self._starts_ns = np.empty(0, np.int64)
        """Starts by row, of the spans in the set below: nothing else asks when a row of a run started."""
        self._spans_with_starts = set[int]()

    def run(self, span: Span) -> None:
        """Play a span and its wait."""
        ends, shift = self.ends_ns, self._shift_ns
        self._shifts_ns.append(shift)
        may_be_full = any(ends[slot] + shift > launched for slot, launched in span.queued_behind)
        if span.is_blocked or (may_be_full and self._is_full(span)):
            self._run_row_by_row(span)
        else:
            for base, total, earliest, held in self._script.runs[span.first_run : span.end_run]:
                end = ends[base] + total
                # A comparison takes a fifth of the time of `max`.
                if earliest - shift > end:
                    end = earliest - shift
                if held is not None:
                    end = max(end, self._free_ns(held, shift) - held.gap_ns + total)
                ends.append(end)
        if span.wait is not None:
            self._wait(span.wait)

    def _is_full(self, span: Span) -> bool:
        """Whether the queue is when one of its rows is launched."""
        rows = slice(span.first_row, span.end_row)
        starts_ns = self._head_starts_ns(self._script.queue_head[rows])
        return bool((starts_ns + self._shift_ns > self._script.launched_ns[rows]).any())

    def _run_row_by_row(self, span: Span) -> None:
        """Where the queue is full a launch returns when an earlier row starts, and all after it move."""
        script, rows = self._script, slice(span.first_row, span.end_row)
        starts: list[int] = []
        ends: dict[int, int] = {}
        for row, launched, ready, gap, length, run, head_start in zip(
            range(span.first_row, span.end_row),
            script.launched_ns[rows].tolist(),
            script.ready_ns[rows].tolist(),
            script.gap_ns[rows].tolist(),
            script.length_ns[rows].tolist(),
            script.run[rows].tolist(),
            self._head_starts_ns(script.queue_head[rows]).tolist(),
            strict=True,
        ):
            held = script.held.get(row)
            start = ready - self._shift_ns if held is None else self._free_ns(held, self._shift_ns)
            blocked = 0 if held is None else held.blocked_ns
            late = max(head_start - launched + self._shift_ns, 0)
            self.queue_ns += late
            if blocked or late:
                self._shift_ns += blocked - late
                self.shifts.append((launched, self._shift_ns))
            before = ends[run] if run in ends else self.ends_ns[script.base[run]]
            starts.append(max(start, before + gap))
            ends[run] = starts[-1] + length
            if row == script.last_row[run]:
                self.ends_ns.append(ends[run])
        self._keep_starts(len(self._shifts_ns) - 1, rows, np.array(starts, np.int64))

    def _free_ns(self, held: Held, shift_ns: int) -> int:
        """When a row could start on a free stream."""
        ready = held.ready_ns - shift_ns - (held.staged_ns if held.staged_by in self._removed else 0)
        return max((ready, *(self.ends_ns[slot] + distance for slot, distance in held.awaited)))

    def _head_starts_ns(self, heads: Int32s) -> Int64s:
        """When each of these rows started, long ago for `NONE`."""
        spans = np.searchsorted(self._script.first_rows, heads[heads != NONE], side="right") - 1
        for span in set(spans.tolist()) - self._spans_with_starts:
            self._start_rows(span)
        starts = np.full(len(heads), LONG_AGO_NS, np.int64)
        starts[heads != NONE] = self._starts_ns[heads[heads != NONE]]
        return starts

    def _start_rows(self, number: int) -> None:
        """Find when each row of a span started that was played by its runs."""
        script, shift = self._script, self._shifts_ns[number]
        span = script.spans[number]
        for run in range(span.first_run, span.end_run):
            rows = script.by_stream[script.first[run] : script.last[run] + 1]
            length = script.length_ns[rows]
            ready = script.ready_ns[rows] - shift
            held = script.held.get(int(rows[0]))
            if held is not None:
                ready[0] = self._free_ns(held, shift)
            taken = np.cumsum(script.gap_ns[rows] + length)
            bound = np.maximum.accumulate(ready + length - taken)
            ends = taken + np.maximum(bound, self.ends_ns[script.base[run]])
            self._keep_starts(number, rows, ends - length)

    def _keep_starts(self, span: int, rows: Int32s | slice, starts_ns: Int64s) -> None:
        if not len(self._starts_ns):
            self._starts_ns = np.empty(len(self._script.launched_ns), np.int64)
        self._starts_ns[rows] = starts_ns
        self._spans_with_starts.add(span)

    def _wait(self, wait: Wait) -> None:
        called = wait.start_ns - self._shift_ns
        returned = called + wait.base_ns
        if wait.episode not in self._removed:
            returned = max((returned, *self._awaited_ends_ns(wait, called)))
        self.waited_ns[wait.episode] = returned - called
        self._shift_ns = wait.end_ns - returned
        self.shifts.append((wait.start_ns, self._shift_ns))

    def _awaited_ends_ns(self, wait: Wait, at_ns: int) -> Iterator[int]:
        """When a wait that begins at this instant sees that each thing which it awaits is done."""
        for slot in wait.awaited:
            yield self.ends_ns[slot] + wait.lag_ns
        if wait.device != NONE:
            yield _last_beside(self._script, wait.device, at_ns) + wait.lag_ns


def _last_beside(script: Script, device: int, at_ns: int) -> int:
    """When the device has done what the streams beside the training had been given at an instant."""
    last = 0
    for given, ended in script.beside.get(device, ()):
        count = bisect_right(given, at_ns)
        last = max(last, ended[count - 1] if count else 0)
    return last
