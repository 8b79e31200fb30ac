"""How long steps take on the device itself, by CUDA events that nobody waits for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Protocol

import torch

from tbprof.hook.safety.cuda_device import device_in_use
from tbprof.hook.safety.program_errors import let_through

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
            self.fault, self._begin = fault, None
            self._unread.clear()

    def _mark(self, steps_taken: int) -> None:
        event = self._record_event()
        mark = None if event is None else _Mark(steps_taken, event)
        if self._begin is not None and mark is not None:
            self._unread.append((self._begin, mark))
        self._begin = mark

    def _read(self) -> None:
        # In the order of the device's work: behind one that it has not passed there is none that it has.
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
