"""Host time of the training's steps, with and without a profiler."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter_ns
from typing import Any, Protocol

import torch

from tbprof.hook.safety.cuda_device import device_in_use
from tbprof.hook.safety.guard import let_through
from tbprof.hook.schedule import NO_STEP_NS

KEPT_STEPS = 1000
"""Enough for a steady median, and a bound for runs of millions of steps."""

_MOST_MARKS = _MOST_UNSETTLED = 10_000
"""Bounds, should nobody take them."""

Mark = int | tuple[str | None, int] | list[int]
"""How long steps took that follow each other; or an instant up to which there was no step; or one at which
something else begins, with its name, or ends, with None."""

COLD_FACTOR = 1.5
"""First steps longer than this times the median are start-up; so are a window's in the analysis."""

LONG_FACTOR, LONG_NS = 2, 500_000
"""A step that takes so much longer than the median may do something that others don't."""

FEWEST_STEPS = 3
"""With fewer, nobody can say which of them is unlike the others."""


@dataclass(frozen=True, slots=True)
class StepTimes:
    """How long steps take without a profiler."""

    cold_ns: tuple[int, ...] = ()
    """The run's first steps, while they took longer than the others: in none of the figures below."""
    median_ns: int | None = None
    """None before the first step."""
    quartiles_ns: tuple[int, ...] = ()
    """The lower and the upper one; none of fewer than two steps."""


class StepClock:
    """Measures from the end of one `step()` to the start of the next, on the host."""

    __slots__ = (
        "_is_shared",
        "_left_out",
        "_unprofiled_ns",
        "device",
        "last_ns",
        "marks",
        "profiled_ns",
        "slow_ns",
        "steps",
        "unsettled_ns",
    )

    def __init__(self) -> None:
        self.device = DeviceClock()
        self.unsettled_ns: deque[int] = deque(maxlen=_MOST_UNSETTLED)
        """Steps outside every window of which nothing is known but how long they took: all that most steps
        leave, since to keep more costs each of them."""
        self._unprofiled_ns: deque[int] = deque(maxlen=KEPT_STEPS)
        self._is_shared = False
        self._left_out = 0
        self.profiled_ns: list[int] = []
        """The recorded steps of the current window."""
        self.slow_ns = NO_STEP_NS
        """A step that takes as long is one that somebody wants to know of."""
        self.last_ns = 0
        """When the step began that is under way."""
        self.steps = 0
        """All that are settled."""
        self.marks: deque[Mark] = deque(maxlen=0)
        """What becomes of the time, kept for the ledger until it takes it."""

    def restart(self) -> None:
        """Begin a new step now: what the hook itself did is in no step."""
        self.settle()
        self.last_ns = perf_counter_ns()
        self.marks.append(self.last_ns)

    def keep_marks(self, *, are_kept: bool) -> None:
        """Begin with none, from now on."""
        self.settle()
        self.marks = deque(maxlen=_MOST_MARKS if are_kept else 0)

    def note(self, name: str | None) -> None:
        """Something begins that is no step, or ends."""
        self.settle()
        self.marks.append((name, perf_counter_ns()))

    def lap(self) -> int:
        """End the step, begin the next one, and return how long the ended one took."""
        now_ns = perf_counter_ns()
        duration_ns = now_ns - self.last_ns
        self.last_ns = now_ns
        return duration_ns

    def settle(self) -> None:
        """Give the steps so far to what they belong to."""
        if not self.unsettled_ns:
            return
        # Another thread may call step() meanwhile.
        lengths_ns, self.unsettled_ns = self.unsettled_ns, deque(maxlen=_MOST_UNSETTLED)
        if self._is_shared:
            self._left_out += len(lengths_ns)
        else:
            self._unprofiled_ns.extend(lengths_ns)
        self._mark_steps(list(lengths_ns))

    def end_apart(self, duration_ns: int, *, is_outside: bool) -> None:
        """Settle a step by itself, which may lie in a window."""
        if is_outside:
            self.unsettled_ns.append(duration_ns)
        self.settle()
        if not is_outside:
            self._mark_steps([duration_ns])

    def share_with_own_work(self, *, is_shared: bool) -> None:
        """Whether processes of ours are at work from here on: that steps take longer then is no news."""
        self.settle()
        self._is_shared = is_shared

    @property
    def left_out(self) -> int:
        """Steps outside every window that shared the machine with our own processes."""
        self.settle()
        return self._left_out

    @property
    def unprofiled_ns(self) -> deque[int]:
        """The latest steps outside every window that share the machine with no process of ours."""
        self.settle()
        return self._unprofiled_ns

    def _mark_steps(self, lengths_ns: list[int]) -> None:
        self.steps += len(lengths_ns)
        self.marks.append(lengths_ns)

    @property
    def unprofiled(self) -> StepTimes:
        """The latest steps outside every window."""
        # Once the earliest ones are forgotten, start-up is as well.
        cold = 0 if len(self.unprofiled_ns) == KEPT_STEPS else _cold_steps(self.unprofiled_ns)
        steps = list(self.unprofiled_ns)
        return StepTimes(tuple(steps[:cold]), _median(steps[cold:]), _quartiles(steps[cold:]))

    def median_of_latest(self, steps: int) -> int | None:
        """The median of so many steps outside every window; None where there were too few to tell."""
        latest = list(self.unprofiled_ns)[-steps:]
        return _median(latest) if min(steps, len(latest)) >= FEWEST_STEPS else None

    @property
    def has_long_steps(self) -> bool:
        """Whether a recorded step took far longer than the others, as one with a rollout does."""
        usual = self.median_profiled_ns or 0
        return max(self.profiled_ns, default=0) > max(LONG_FACTOR * usual, usual + LONG_NS)

    @property
    def median_profiled_ns(self) -> int | None:
        """None where the window recorded no whole step."""
        return _median(self.profiled_ns)


def _cold_steps(durations_ns: Sequence[int]) -> int:
    if len(durations_ns) < FEWEST_STEPS:
        return 0
    usual = COLD_FACTOR * median(durations_ns)
    return next(number for number, duration_ns in enumerate(durations_ns) if duration_ns <= usual)


def _median(durations_ns: Sequence[int]) -> int | None:
    return int(median(durations_ns)) if durations_ns else None


def _quartiles(durations_ns: Sequence[int]) -> tuple[int, ...]:
    if len(durations_ns) < 2:
        return ()
    lower, _, upper = quantiles(durations_ns, n=4, method="inclusive")
    return int(lower), int(upper)


FIRST_SPAN_STEPS = 5
"""The first span is short, so that it ends before the first window begins."""

SPAN_STEPS = 50
"""Steps between two events: recording one takes the host some us, which its steps share."""

KEPT_SPANS = 20


class TimingEvent(Protocol):
    """What is used of `torch.cuda.Event`."""

    def query(self) -> bool:
        """Whether the device has passed it."""

    def elapsed_time(self, end_event: Any) -> float:
        """Milliseconds from this one to `end_event`."""


@dataclass(frozen=True, slots=True)
class _Mark:
    steps_taken: int
    event: TimingEvent


class DeviceClock:
    """Puts an event into the current stream now and then, and reads them when a figure is wanted.

    The host can be ahead of the device for many steps and then wait in one; between two events
    of the device there is no such doubt. To query an event while another thread captures a CUDA
    graph would break that capture, and no thread can see the captures of others: so events are
    only read where a window has just ended, for which the profiler has synchronized anyway.
    """

    def __init__(self, record_event: Callable[[], TimingEvent | None] | None = None) -> None:
        self.fault: Exception | None = None
        """What ended the timing; the steps go on without it."""
        self._record_event = record_event or _record_cuda_event
        self._begin: _Mark | None = None
        self._unread: deque[tuple[_Mark, _Mark]] = deque(maxlen=KEPT_SPANS)
        self._spans_ns: deque[float] = deque(maxlen=KEPT_SPANS)

    @property
    def step_ns(self) -> int | None:
        """The median over the latest spans; None where no device was timed."""
        self._guarded(self._read)
        return int(median(self._spans_ns)) if self._spans_ns else None

    def interrupt(self) -> None:
        """What comes now is no ordinary step: the span that it falls into is not measured."""
        self._begin = None

    def look(self, steps_taken: int) -> int | None:
        """Begin or end a span if it is time to; the steps after which to look again, None for never."""
        span_steps = SPAN_STEPS if self._spans_ns or self._unread else FIRST_SPAN_STEPS
        if self._begin is None or steps_taken - self._begin.steps_taken >= span_steps:
            self._guarded(lambda: self._mark(steps_taken))
        return None if self._begin is None else steps_taken + span_steps

    def _guarded(self, action: Callable[[], None]) -> None:
        if self.fault is not None:
            return
        try:
            action()
        except Exception as fault:  # noqa: BLE001 - the time on the device is optional
            let_through(fault)
            # Without the frames, which hold what the program's functions hold.
            self.fault, self._begin = fault.with_traceback(None), None
            self._unread.clear()

    def _mark(self, steps_taken: int) -> None:
        event = self._record_event()
        mark = None if event is None else _Mark(steps_taken, event)
        if self._begin is not None and mark is not None:
            self._unread.append((self._begin, mark))
        self._begin = mark

    def _read(self) -> None:
        # In the order of the device's work: after one that it has not passed there is none that it has.
        while self._unread and self._unread[0][1].event.query():
            begin, end = self._unread.popleft()
            elapsed_ns = begin.event.elapsed_time(end.event) * 1e6
            self._spans_ns.append(elapsed_ns / (end.steps_taken - begin.steps_taken))


def _record_cuda_event() -> TimingEvent | None:
    """None where CUDA is not in use, or the current stream is being captured as a graph."""
    device = device_in_use()
    if device is None:
        return None
    with torch.cuda.device(device):
        if torch.cuda.is_current_stream_capturing():
            return None
        event = torch.cuda.Event(enable_timing=True)
        event.record()
    return event  # type: ignore[no-any-return]
