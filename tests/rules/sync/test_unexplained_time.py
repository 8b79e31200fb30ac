"""Time that nothing recorded explains: waits for unknown work, and idle with work in the queue."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.intervals import total_ns
from tbprof.rules.sync.syn13_unexplained_wait import UnexplainedWaits, find_unexplained

BASE_NS = 5_000
"""Of a synchronize, where there are too few to see it."""


def second_step(
    *, waiting: float = 300, busy: float = 100, kernel: float = 400, thread: int = MAIN
) -> UnexplainedWaits:
    """Two steps of 1000. In the second a kernel is launched by 10 and starts at `kernel`, and the host
    waits from 500, in which time the device works `busy`.
    """
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 15, runs=(900, 950))
    built.step(2, 1000, 2000)
    built.launch(1005, 1010, runs=(1000 + kernel, 1500 + busy))
    built.synchronize("cudaStreamSynchronize", 1500, 1500 + waiting, thread=thread)
    return find_unexplained(built.facts())


def test_queued_idle_begins_when_the_launch_has_returned() -> None:
    found = second_step(kernel=400)
    assert total_ns(found.queued) == 390_000
    assert found.queued_share == 0.39


@pytest.mark.parametrize(("kernel", "queued"), [(20, 0), (20.001, 10_001)])
def test_launches_are_10_us_apart_by_themselves(kernel: float, queued: int) -> None:
    assert total_ns(second_step(kernel=kernel).queued) == queued


def test_a_wait_is_unexplained_beyond_its_base_cost_and_what_the_device_did() -> None:
    found = second_step(waiting=300, busy=100)
    assert found.wait_ns == 300_000 - 100_000 - BASE_NS
    assert found.members.tolist() == [0]


def test_a_wait_that_the_device_fills_is_explained() -> None:
    found = second_step(waiting=300, busy=295)
    assert (found.wait_ns, found.members.tolist()) == (0, [])


def test_waits_of_side_threads_are_nobodys() -> None:
    assert second_step(thread=SIDE).wait_ns == 0


def test_the_first_step_may_wait_for_what_was_before_the_window() -> None:
    """Its kernel stays queued for 885."""
    assert second_step(kernel=15, busy=300).queued_share == 0


def test_one_step_is_none_to_look_at() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 15, runs=(900, 950))
    found = find_unexplained(built.facts())
    assert (found.steps_ns, found.queued_share, found.wait_share) == (0, 0.0, 0.0)
