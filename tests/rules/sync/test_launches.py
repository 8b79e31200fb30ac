"""Calls that launch kernels: how long they took, and what may have held them up."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.rules.sync.launches import blocking_launches, training_launches


def test_launches_of_kernels_on_the_training_thread_and_in_steps_count() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 15, runs=(20, 30))
    built.launch(40, 45, runs=(50, 60), thread=SIDE, stream=20)
    built.memset(70, 75, runs=(80, 90))
    built.call("cudaLaunchKernel", 100, 105)
    built.launch(1010, 1015, runs=(1020, 1030))
    facts = built.facts()
    launches = training_launches(facts)
    assert (launches.start_ns - facts.origin_ns).tolist() == [10_000]
    assert launches.median_ns.tolist() == [5_000]


def test_the_median_is_that_of_one_call() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for at, length in ((10, 5), (30, 7), (50, 400)):
        built.launch(at, at + length, runs=(at + 1, at + 2))
    built.graph_launch(500, 590, runs=[(520, 530), (530, 540)])
    assert training_launches(built.facts()).median_ns.tolist() == [7_000, 7_000, 7_000, 90_000]


@pytest.mark.parametrize(("ends", "blocked"), [(102, 1), (102.001, 0)])
def test_a_blocking_launch_returns_when_its_kernel_has_ended(ends: float, blocked: int) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(10, 100, runs=(20, ends))
    launches, of_all = blocking_launches(built.facts())
    assert (len(launches.rows), of_all) == (blocked, 1)


def test_the_last_kernel_of_a_graph_counts() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.graph_launch(10, 100, runs=[(20, 30), (30, 500)])
    launches, of_all = blocking_launches(built.facts())
    assert (len(launches.rows), of_all) == (0, 1)


def test_without_launches_none_blocked() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    launches, of_all = blocking_launches(built.facts())
    assert (len(launches.rows), of_all) == (0, 0)
