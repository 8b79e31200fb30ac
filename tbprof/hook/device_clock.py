"""How long steps take on the device itself, by CUDA events that nobody waits for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any, Protocol

import torch

__all__ = ["DeviceClock", "TimingEvent"]

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
    """Puts an event into the current stream now and then, and reads it when the device has passed it.

    The host can be ahead of the device for many steps and then wait in one; between two events
    of the device there is no such doubt.
    """

    def __init__(self, record_event: Callable[[], TimingEvent | None] | None = None) -> None:
        self._record_event = record_event or _record_cuda_event
        self._begin: _Mark | None = None
        self._unread: tuple[_Mark, _Mark] | None = None
        self._spans_ns: deque[float] = deque(maxlen=KEPT_SPANS)

    @property
    def step_ns(self) -> int | None:
        """The median over the latest spans; None where no device was timed."""
        self._read()
        return int(median(self._spans_ns)) if self._spans_ns else None

    def interrupt(self) -> None:
        """What comes now is no ordinary step: the span that it falls into is not measured."""
        self._begin = None

    def look(self, steps_taken: int) -> int | None:
        """Begin or end a span if it is time to; the steps after which to look again, None for never."""
        self._read()
        span_steps = SPAN_STEPS if self._spans_ns else FIRST_SPAN_STEPS
        if self._begin is None:
            self._begin = self._mark(steps_taken)
        elif self._unread is None and steps_taken - self._begin.steps_taken >= span_steps:
            end = self._mark(steps_taken)
            self._unread = None if end is None else (self._begin, end)
            self._begin = end
        return None if self._begin is None else steps_taken + span_steps

    def _mark(self, steps_taken: int) -> _Mark | None:
        event = self._record_event()
        return None if event is None else _Mark(steps_taken, event)

    def _read(self) -> None:
        if self._unread is None or not self._unread[1].event.query():
            return
        begin, end = self._unread
        elapsed_ns = begin.event.elapsed_time(end.event) * 1e6
        self._spans_ns.append(elapsed_ns / (end.steps_taken - begin.steps_taken))
        self._unread = None


def _record_cuda_event() -> TimingEvent | None:
    """None where CUDA is not in use, or its current stream is being captured as a graph."""
    if not torch.cuda.is_initialized() or torch.cuda.is_current_stream_capturing():
        return None
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event  # type: ignore[no-any-return]
