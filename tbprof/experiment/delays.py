"""The wait that an experiment puts before a line, and what it sees of the line."""

from __future__ import annotations

import time
from dataclasses import dataclass
from time import perf_counter_ns

_SPUN_NS = 150_000
"""At the end of a wait: to sleep takes longer than was asked for."""

_sleep = time.sleep


@dataclass(slots=True)
class Line:
    """Since the beginning of a block."""

    delay_ns: int = 0
    reached: int = 0
    waited_ns: int = 0
    took_ns: int = 0
    """The statement itself, where its end was marked."""
    begun_ns: int = 0


LINE = Line()


def before() -> None:
    """Wait as long as the block asks for."""
    LINE.reached += 1
    begun_ns = perf_counter_ns()
    if LINE.delay_ns:
        if LINE.delay_ns > _SPUN_NS:
            _sleep((LINE.delay_ns - _SPUN_NS) / 1e9)
        while perf_counter_ns() - begun_ns < LINE.delay_ns:
            pass
    LINE.begun_ns = perf_counter_ns()
    LINE.waited_ns += LINE.begun_ns - begun_ns


def after() -> None:
    """The statement is over."""
    LINE.took_ns += perf_counter_ns() - LINE.begun_ns
