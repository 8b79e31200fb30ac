"""The script of a window: its rows, cut into spans and runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tbprof.analysis.replay.launched_rows import LaunchedRows
from tbprof.analysis.replay.script import LONG_AGO_NS, Held, Script, Span, Wait
from tbprof.analysis.replay.waits import ReplayWaits
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct

_SPAN_ROWS = 256
"""Well below `QUEUE_LIMIT`, so that what a row is queued behind lies in an earlier span."""


def write_script(rows: LaunchedRows, start_ns: int, end_ns: int, last: Int64s) -> Script:
    """What the host comes to in `[start_ns, end_ns)`.

    Device rows that were launched before, or beside the training, stay as recorded.

    Args:
        rows: Those that are launched then.
        start_ns: Of the stretch.
        end_ns: Of the stretch.
        last: Rows of `DeviceWork`: when the last of these ends, so does the window on the device.
    """
    return _Writer(rows, start_ns, end_ns, last).script


@dataclass(frozen=True, slots=True, eq=False)
class _References:
    """To rows of `DeviceWork`, flat; one entry each."""

    after: Int64s
    """How many of the launched rows came before who refers to it."""
    row: Int64s
    counts: tuple[int, ...]
    """How many entries each that refers has."""

    @classmethod
    def of(cls, after: Int64s, rows: Sequence[Sequence[int]]) -> _References:
        counts = tuple(map(len, rows))
        flat = np.fromiter(itertools.chain.from_iterable(rows), np.int64, sum(counts))
        return cls(np.repeat(after, counts), flat, counts)

    def split(self, values: Int64s) -> list[tuple[int, ...]]:
        """One value an entry, by who refers to it."""
        flat = iter(values.tolist())
        return [tuple(itertools.islice(flat, count)) for count in self.counts]


@dataclass(frozen=True, eq=False)
class _Writer:
    rows: LaunchedRows
    start_ns: int
    end_ns: int
    last: Int64s

    @cached_property
    def script(self) -> Script:
        rows, order = self.rows, self.rows.order
        return Script(
            rows=rows.rows,
            launched_ns=rows.launched_ns,
            ready_ns=rows.launched_ns + rows.latency_ns,
            gap_ns=rows.gap_ns,
            length_ns=order.work.end_ns[rows.rows] - order.work.start_ns[rows.rows],
            queue_head=rows.numbers_of(rows.queue_head).astype(np.int32),
            held=self._held,
            by_stream=rows.by_stream.astype(np.int32),
            first=self._runs.first.astype(np.int32),
            last=self._runs.last.astype(np.int32),
            base=tuple(self._slots(self._of_runs).tolist()),
            run=self._runs.of_row.astype(np.int32),
            spans=self._spans,
            fixed_ends_ns=(LONG_AGO_NS, *order.work.end_ns[self._fixed].tolist()),
            last_slots=tuple(distinct(self._slots(self._of_end)).tolist()),
            beside={
                device: [(given.tolist(), ended.tolist()) for given, ended in order.beside(device)]
                for device in order.work.devices
            },
        )

    @cached_property
    def _held(self) -> dict[int, Held]:
        rows, held = self.rows, self.rows.held
        columns = zip(
            held.tolist(),
            (rows.launched_ns + rows.latency_ns)[held].tolist(),
            rows.gap_ns[held].tolist(),
            rows.blocked_ns[held].tolist(),
            self._of_held.split(self._slots(self._of_held)),
            rows.staged_by[held].tolist(),
            rows.staged_ns[held].tolist(),
            strict=True,
        )
        return {
            row: Held(
                ready_ns=ready,
                gap_ns=gap,
                blocked_ns=blocked,
                awaited=tuple(zip(slots, (distance for _, distance in rows.awaited[row]), strict=True)),
                staged_by=staged_by,
                staged_ns=staged,
            )
            for row, ready, gap, blocked, slots, staged_by, staged in columns
        }

    @cached_property
    def _waits(self) -> Int64s:
        """The waits inside, by their starts."""
        start_ns = self._recorded.start_ns
        inside = np.flatnonzero((start_ns >= self.start_ns) & (start_ns < self.end_ns))
        return inside[np.argsort(start_ns[inside], kind="stable")]

    @property
    def _recorded(self) -> ReplayWaits:
        return self.rows.waits

    @cached_property
    def _bounds(self) -> Int64s:
        """How many rows are launched before each wait."""
        # A copy's call and its wait begin at one instant: first it is issued, then awaited.
        return np.searchsorted(self.rows.launched_ns, self._recorded.start_ns[self._waits], side="right")

    @cached_property
    def _of_waits(self) -> _References:
        return _References.of(self._bounds, [self._recorded.awaited[wait] for wait in self._waits.tolist()])

    @cached_property
    def _of_held(self) -> _References:
        held = self.rows.held
        return _References.of(held, [[row for row, _ in self.rows.awaited[at]] for at in held.tolist()])

    @cached_property
    def _of_runs(self) -> _References:
        """To the row before each run."""
        first = self.rows.by_stream[self._runs.first]
        return _References(first, self.rows.before[first], (1,) * len(first))

    @cached_property
    def _of_end(self) -> _References:
        """The rows whose ends are that of the window."""
        return _References(np.full(len(self.last), len(self.rows)), self.last, (1,) * len(self.last))

    def _played(self, references: _References) -> Int64s:
        """The numbers of the rows that are played by then, `NONE` for the others."""
        numbers = self.rows.numbers_of(references.row)
        return np.where(numbers < references.after, numbers, NONE)

    @cached_property
    def _fixed(self) -> Int64s:
        """Rows of `DeviceWork` that are referred to and not played by then: they end as recorded."""
        fixed = [
            references.row[(references.row != NONE) & (self._played(references) == NONE)]
            for references in (self._of_waits, self._of_held, self._of_runs, self._of_end)
        ]
        return distinct(np.concatenate(fixed))

    def _slots(self, references: _References) -> Int64s:
        """Where the end of each is found; the first slot is of long ago, for `NONE`."""
        played = self._played(references)
        fixed = np.where(references.row == NONE, 0, 1 + np.searchsorted(self._fixed, references.row))
        # Rows whose launch is not known are all fixed, and there may be no others.
        run = np.append(self._runs.of_row, NONE)[played]
        return np.where(played == NONE, fixed, 1 + len(self._fixed) + run)

    @cached_property
    def _pieces(self) -> list[tuple[int, int, int | None]]:
        """First and end row of each span, and the place among `_waits` of the wait after it."""
        pieces: list[tuple[int, int, int | None]] = []
        edges = itertools.pairwise((0, *self._bounds.tolist(), len(self.rows)))
        for (first, end), wait in itertools.zip_longest(edges, range(len(self._waits))):
            cuts = (*range(first, max(end, first + 1), _SPAN_ROWS), end)
            pieces += [(begin, until, None) for begin, until in itertools.pairwise(cuts[:-1])]
            pieces.append((cuts[-2], end, wait))
        return pieces

    @cached_property
    def _span_of_row(self) -> Int64s:
        return np.repeat(np.arange(len(self._pieces)), [end - first for first, end, _ in self._pieces])

    @cached_property
    def _runs(self) -> Runs:
        count = len(self.rows)
        begins, ends, is_last = (np.zeros(count, np.bool_) for _ in range(3))
        begins[self.rows.held] = True
        for references in (self._of_held, self._of_waits):
            played = self._played(references)
            ends[played[played != NONE]] = True
        played = self._played(self._of_end)
        is_last[played[played != NONE]] = True
        return Runs.of(
            self.rows.by_stream,
            before=self.rows.numbers_of(self.rows.before),
            span=self._span_of_row,
            begins=begins,
            ends=ends,
            is_last=is_last,
        )

    @cached_property
    def _spans(self) -> tuple[Span, ...]:
        waits = self._listed_waits
        blocked = np.concatenate([[0], np.cumsum(self.rows.blocked_ns > 0)])
        last_rows, queued = self.rows.by_stream[self._runs.last], self._queued_behind
        return tuple(
            Span(
                first_row=first,
                end_row=end,
                first_run=int(np.searchsorted(last_rows, first)),
                end_run=int(np.searchsorted(last_rows, end)),
                queued_behind=queued[number],
                is_blocked=bool(blocked[end] > blocked[first]),
                wait=None if wait is None else waits[wait],
            )
            for number, (first, end, wait) in enumerate(self._pieces)
        )

    @cached_property
    def _queued_behind(self) -> list[tuple[tuple[int, int], ...]]:
        """For each span the slots of what it is queued behind, each with the first launch that is."""
        queued = np.flatnonzero(self.rows.queue_head != NONE)
        slots = self._slots(_References(queued, self.rows.queue_head[queued], (1,) * len(queued)))
        span = self._span_of_row[queued]
        # Of equal ones the first is kept, whose launch was first as well.
        _, first = np.unique(span * (int(slots.max(initial=0)) + 1) + slots, return_index=True)
        found: list[tuple[tuple[int, int], ...]] = [()] * len(self._pieces)
        launched_ns = self.rows.launched_ns[queued[first]].tolist()
        for at, slot, launched in zip(span[first].tolist(), slots[first].tolist(), launched_ns, strict=True):
            found[at] += ((slot, launched),)
        return found

    @cached_property
    def _listed_waits(self) -> list[Wait]:
        recorded, inside = self._recorded, self._waits
        columns = zip(
            recorded.episode[inside].tolist(),
            recorded.start_ns[inside].tolist(),
            recorded.end_ns[inside].tolist(),
            self._of_waits.split(self._slots(self._of_waits)),
            recorded.device[inside].tolist(),
            recorded.base_ns[inside].tolist(),
            recorded.lag_ns[inside].tolist(),
            strict=True,
        )
        return [Wait(*values) for values in columns]


_Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """In the order in which they are played: by the launches of their last rows."""

    first: Int64s
    """Where each begins in the rows by stream."""
    last: Int64s
    """Its last row there."""
    of_row: Int64s
    """The run of each row, by its number."""

    @classmethod
    def of(
        cls, by_stream: Int64s, *, before: Int64s, span: Int64s, begins: _Bools, ends: _Bools, is_last: _Bools
    ) -> Runs:
        """Cut the rows.

        Args:
            by_stream: The numbers of the rows, stream by stream as they ran; a number is that of the launch.
            before: By number, as all below: the row that ran before it on its stream, or `NONE`.
            span: No run goes on from one to the next.
            begins: The row has more to wait for than the row before it.
            ends: Something asks for the end of the row.
            is_last: The window ends with the last of these.
        """
        if not len(by_stream):
            return cls(by_stream, by_stream, by_stream)
        row, earlier = by_stream[1:], by_stream[:-1]
        goes_on = (before[row] == earlier) & (earlier < row) & (span[row] == span[earlier])
        goes_on &= ~begins[row] & ~ends[earlier] & (is_last[row] | ~is_last[earlier])
        first = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])
        last = np.append(first[1:], len(by_stream)) - 1
        played = np.argsort(by_stream[last])
        rank = np.empty(len(first), np.int64)
        rank[played] = np.arange(len(first))
        of_row = np.empty(len(by_stream), np.int64)
        of_row[by_stream] = np.repeat(rank, last - first + 1)
        return cls(first[played], last[played], of_row)
