"""What a host wins at most that need not do some of its work."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, union


def waiting_between() -> TraceBuilder:
    """A read in the middle of a step; before it the device is idle for 310 us, and for 200 after it."""
    built = TraceBuilder()
    built.step(1, 0, 2000)
    built.launch(300, 305, runs=(310, 900))
    read_scalar(built, 320, wait=582)
    built.launch(1100, 1105, runs=(1110, 2000))
    return built


def spared(facts: Facts, start: float, end: float) -> Intervals:
    instants = np.array([start, end]) * 1000
    return union(*(facts.origin_ns + instants.astype(np.int64).reshape(2, 1)))


@pytest.mark.parametrize(
    ("start", "end", "won"),
    [
        (100, 200, 100),
        (950, 1050, 100),
        # No more than could be filled before the read returns.
        (320, 900, 310),
        (1200, 1200, 0),
    ],
)
def test_it_comes_earlier_by_what_it_is_spared(start: float, end: float, won: float) -> None:
    facts = waiting_between().facts()
    assert earlier_host_ns(facts, spared(facts, start, end)) == won * 1000


def freeing_between() -> TraceBuilder:
    """As with the read, but it is a free that waits for the device; before it the device is idle for 310."""
    built = TraceBuilder()
    built.step(1, 0, 2000)
    built.launch(300, 305, runs=(310, 900))
    built.call("cudaFree", 320, 910)
    built.launch(1100, 1105, runs=(1110, 2000))
    return built


@pytest.mark.parametrize(
    ("start", "end", "won"),
    [
        (100, 200, 100),
        # Idle with nothing queued for 305 before the first launch, and for 10 in the free.
        (0, 320, 315),
        # Spared itself it holds up nobody, and all that is idle counts.
        (320, 910, 510),
    ],
)
def test_a_free_that_stays_lets_nothing_pass(start: float, end: float, won: float) -> None:
    facts = freeing_between().facts()
    assert earlier_host_ns(facts, spared(facts, start, end)) == won * 1000


def test_a_device_that_is_never_idle_wins_nothing_by_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(1, 1000))
    facts = built.facts()
    assert earlier_host_ns(facts, spared(facts, 100, 900)) <= 1_000


def test_what_happens_once_is_spared_to_nobody() -> None:
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    built.launch(0, 1, runs=(1, 100))
    built.launch(200, 4_200, runs=(4_200, 10_000))
    facts = built.facts()
    # The launch takes so long because the kernel is loaded; of the rest 100 us are idle.
    assert earlier_host_ns(facts, spared(facts, 100, 4_200)) == 100_000
