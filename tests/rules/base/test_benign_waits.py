"""Waits that are no fault of the program, and waits that keep it in step."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import SIDE, host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.rules.base.severity import are_benign, are_throttle


def all_of(facts: Facts) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.arange(len(facts.episodes.first))


def first_step(*, explained: float) -> TraceBuilder:
    """A wait of 105 in the first of two steps, 5 of them its base cost; the device works to its end."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.step(2, 1000, 2000)
    built.launch(10, 15, runs=(200 - explained, 200))
    built.synchronize("cudaStreamSynchronize", 95, 200)
    built.launch(1100, 1105, runs=(1110, 1120))
    return built


@pytest.mark.parametrize(("explained", "benign"), [(50, False), (49, True)])
def test_a_first_step_may_wait_for_what_was_before_the_window(explained: float, benign: bool) -> None:
    facts = first_step(explained=explained).facts()
    assert are_benign(facts, all_of(facts)) == benign


def test_a_later_step_may_not() -> None:
    built = TraceBuilder()
    built.step(1, -1000, 0)
    built.events += first_step(explained=0).events
    facts = built.facts()
    assert not are_benign(facts, all_of(facts))


@pytest.mark.parametrize(
    "name", ["entire_frame_compile", "backend_compile (dynamo_timed)", "dynamo_data: compile_id=0/0"]
)
def test_what_syncs_while_it_is_compiled_is_benign(name: str) -> None:
    built = host_bound(steps=1)
    built.op(name, 100, 500)
    facts = built.facts()
    assert are_benign(facts, all_of(facts))


@pytest.mark.parametrize("name", ["Torch-Compiled Region: 0/0", "TorchDynamo Cache Lookup"])
def test_what_syncs_when_it_runs_is_not(name: str) -> None:
    built = host_bound(steps=1)
    built.op(name, 100, 500)
    facts = built.facts()
    assert not are_benign(facts, all_of(facts))


def test_all_of_them_must_be_benign() -> None:
    built = host_bound(steps=2)
    built.op("entire_frame_compile", 100, 500)
    facts = built.facts()
    assert are_benign(facts, np.array([0]))
    assert not are_benign(facts, all_of(facts))


@pytest.mark.parametrize(("launched", "benign"), [(800, False), (None, True)])
def test_a_synchronize_behind_all_launches_holds_up_nothing(launched: float | None, benign: bool) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 15, runs=(20, 400))
    built.synchronize("cudaDeviceSynchronize", 100, 405)
    if launched is not None:
        built.launch(launched, launched + 5, runs=(launched + 10, launched + 100))
    facts = built.facts()
    assert are_benign(facts, all_of(facts)) == benign


@pytest.mark.parametrize(("explained", "throttle"), [(55, True), (45, False)])
def test_a_wait_that_is_mostly_unexplained_is_no_throttle(explained: float, throttle: bool) -> None:
    facts = first_step(explained=explained).facts()
    assert are_throttle(facts, all_of(facts)) == throttle


def test_the_only_sync_point_of_a_step_is_a_throttle() -> None:
    facts = host_bound(steps=3).facts()
    assert are_throttle(facts, all_of(facts))


def test_with_another_one_in_any_of_the_steps_it_is_none() -> None:
    built = host_bound(steps=3)
    read_scalar(built, 1720, wait=50)
    facts = built.facts()
    assert not are_throttle(facts, all_of(facts))


def test_one_on_a_side_thread_does_not_count() -> None:
    built = host_bound(steps=3)
    read_scalar(built, 1720, wait=50, thread=SIDE)
    facts = built.facts()
    training = facts.can_be_won
    assert are_throttle(facts, np.flatnonzero(training))
    assert not are_throttle(facts, np.flatnonzero(~training))


def test_without_steps_nothing_is_known_of_them() -> None:
    built = TraceBuilder()
    built.launch(10, 15, runs=(20, 400))
    read_scalar(built, 100, wait=310)
    facts = built.facts()
    assert not are_throttle(facts, all_of(facts))
    assert not are_benign(facts, all_of(facts))


def test_a_synchronize_before_the_first_launch_of_the_steps_awaits_what_was_before_them() -> None:
    """As harnesses do that measure: they begin with one, while the device does the round before."""
    built = TraceBuilder()
    built.launch(-100, -95, runs=(-90, 300))
    built.step(1, 0, 1000)
    built.synchronize("cudaDeviceSynchronize", 10, 305)
    built.launch(350, 355, runs=(360, 900))
    facts = built.facts()
    assert are_benign(facts, facts.sites[0].members)
