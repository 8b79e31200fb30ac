"""A free of memory waits for its device: where a wait before it goes, it waits in its place.

All times are in us.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.figures.savings import saving_of
from tbprof.trace.columns.arrays import NONE


def wait_and_free(call: str = "cudaFree", *, thread: int = MAIN) -> TraceBuilder:
    """A wait of 385 for a kernel; the call after the next kernel returns 20 after that one has ended.

    From then on the host is late by 200.
    """
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 400))
    built.synchronize("cudaStreamSynchronize", 20, 405)
    built.launch(410, 415, runs=(420, 460))
    built.call(call, 420, 480, thread=thread)
    built.launch(680, 685, runs=(690, 1000))
    return built


def without_its_waits(built: TraceBuilder) -> tuple[int, int]:
    """What the replay wins, and at most can be won, in us."""
    facts = built.facts()
    everything = np.arange(len(facts.episodes.first))
    assert facts.replay.error == 0
    won_ns, ceiling_ns = facts.replay.saving_ns(everything), saving_of(facts, everything, "drop").ceiling_ns
    return won_ns // 1000, ceiling_ns // 1000


@pytest.mark.parametrize("call", ["cudaFree", "hipFree"])
def test_a_free_waits_in_the_place_of_a_wait_that_goes(call: str) -> None:
    # The second kernel follows the first in 1 for 20. Nothing is queued for 5 before the first one, 15
    # between them and 20 in the free; what is idle behind that is out of reach.
    assert without_its_waits(wait_and_free(call)) == (19, 40)


def test_an_allocation_waits_for_nothing() -> None:
    # The last kernel follows at 442 for 690; before its launch nothing is queued for another 205.
    assert without_its_waits(wait_and_free("cudaMalloc")) == (248, 245)


def test_a_free_of_a_thread_beside_the_training_holds_up_nobody() -> None:
    assert without_its_waits(wait_and_free(thread=SIDE)) == (248, 245)


def test_a_free_is_no_episode_and_stays() -> None:
    waits = wait_and_free().facts().replay.waits
    assert waits.episode.tolist() == [0, NONE]
    assert waits.base_ns.tolist()[1:] == waits.lag_ns.tolist()[1:] == [20_000]
    assert waits.drains.tolist() == [True, True]


def freeing_among(*busy_until: float) -> TraceBuilder:
    """A free from 100 to 200 that frees memory of one of several devices."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for device, end in enumerate(busy_until):
        built.launch(10 * device, 10 * device + 5, runs=(50, end), device=device)
    built.call("cudaFree", 100, 200)
    return built


@pytest.mark.parametrize(
    ("busy_until", "device", "awaited", "own_us"),
    [
        ((180,), 0, 1, 20),
        ((70,), 0, 1, 100),
        # It can't have waited for what was at work when it returned.
        ((300,), NONE, 0, 100),
        ((150, 300), 0, 1, 50),
        ((300, 190), 1, 1, 10),
        # Which of two it was is not told.
        ((150, 190), 1, 2, 10),
    ],
)
def test_it_awaits_each_device_that_was_done(
    busy_until: tuple[float, ...], device: int, awaited: int, own_us: int
) -> None:
    waits = freeing_among(*busy_until).facts().replay.waits
    assert (waits.device.tolist(), [len(rows) for rows in waits.awaited]) == ([device], [awaited])
    assert waits.base_ns.tolist() == [own_us * 1000]


def test_a_free_before_all_work_takes_what_it_took() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.call("cudaFree", 10, 70)
    built.launch(100, 105, runs=(110, 400))
    facts = built.facts()
    assert facts.replay.waits.awaited == ((),)
    assert facts.replay.waits.base_ns.tolist() == [60_000]
    assert facts.replay.error == 0
