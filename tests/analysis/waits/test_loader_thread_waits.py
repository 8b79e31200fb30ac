"""Waits of threads that make the batches bound what is won; those of other side threads win nothing.

All times are in us; a step lasts 1000, of which an op and its launch take 100.
"""

from __future__ import annotations

import numpy as np
import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.model import Saving


def beside(direction: str, *, wait: float = 300) -> Facts:
    """Each of two steps computes for its last 200, and a thread copies in it and waits for that."""
    built = TraceBuilder()
    for number in (0, 1):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.op("aten::copy_", start + 100, start + 100 + wait, thread=SIDE)
        span = start + 100, start + 110
        built.copy(direction, "pinned", *span, runs=(start + 120, start + 90 + wait), stream=24, thread=SIDE)
        built.synchronize("cudaStreamSynchronize", start + 110, start + 100 + wait, thread=SIDE)
        built.op("aten::mm", start + 700, start + 800)
        built.launch(start + 750, start + 760, runs=(start + 800, start + 1000))
    return built.facts()


def all_of(facts: Facts) -> Saving:
    return saving_of(facts, np.arange(len(facts.episodes.first)), "drop")


def test_waits_of_a_thread_that_uploads_are_a_ceiling_and_no_replay_tells_more() -> None:
    facts = beside("HtoD")
    assert not facts.can_be_won.any()
    assert all_of(facts) == Saving(floor_ns=0, estimate_ns=None, ceiling_ns=2 * 300_000)


def test_a_thread_that_only_reads_holds_up_nobody() -> None:
    assert all_of(beside("DtoH")) == Saving(floor_ns=0, estimate_ns=0, ceiling_ns=0)


@pytest.mark.parametrize(("wait", "ceiling_us"), [(699, 1398), (850, 1600)])
def test_they_win_no_more_than_a_host_could_fill(wait: float, ceiling_us: int) -> None:
    """Which is a step but for its kernel."""
    facts = beside("HtoD", wait=wait)
    assert facts.silent_ns == 2 * 900_000
    assert all_of(facts).ceiling_ns == ceiling_us * 1000
