"""The loop of the replay: runs and waits, one after the other as the host came to them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Iterator

import numpy as np

from tbprof.analysis.replay.script import LONG_AGO_NS, Held, Script, Span, Wait
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s


@dataclass(frozen=True, slots=True)
class Played:
    """How a window came out."""

    device_end_ns: int
    """When the last of its rows ended."""
    shifts: tuple[tuple[int, int], ...]
    """How much earlier than recorded the host is, after each instant (as recorded) at which that changed."""


def play(script: Script, removed: Container[int]) -> Played:
    """Run it without the waits of the episodes in `removed`."""
    play = _Play(script, removed)
    for span in script.spans:
        play.run(span)
    device_end_ns = max(map(play.ends_ns.__getitem__, script.last_slots), default=0)
    return Played(device_end_ns, tuple(play.shifts))


class _Play:
    """One time through a script."""

    def __init__(self, script: Script, removed: Container[int]) -> None:
        self.ends_ns = list(script.fixed_ends_ns)
        """By slot, as far as the play has come."""
        self.shifts: list[tuple[int, int]] = []
        self._script = script
        self._removed = removed
        self._shift_ns = 0
        self._shifts_ns: list[int] = []
        """At the start of each span."""
        self._starts_ns = np.empty(0, np.int64)
        """By row, of the spans in the set below: nothing else asks when a row of a run started."""
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
        """Where the queue is full a launch returns when an earlier row starts, and all behind it move."""
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
    for given, ended in script.beside[device]:
        count = bisect_right(given, at_ns)
        last = max(last, ended[count - 1] if count else 0)
    return last
