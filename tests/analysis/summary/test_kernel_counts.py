"""Kernels and launches by step."""

from __future__ import annotations

import scenes
from trace_builder import TraceBuilder


def counts(trace: TraceBuilder) -> list[tuple[int | None, int | None]]:
    return [(step.kernels, step.launches) for step in trace.report().steps]


def test_each_launch_counts_in_the_step_that_it_begins_in() -> None:
    # A step launches two kernels and one copy.
    assert counts(scenes.host_bound(2)) == [(2, 2), (2, 2)]


def test_a_kernel_that_runs_in_the_next_step_belongs_to_the_one_that_launched_it() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 100)
    trace.step(1, 100, 200)
    trace.launch(90, 95, runs=(150, 180), thread=scenes.SIDE)
    assert counts(trace) == [(1, 1), (0, 0)]


def test_one_launch_of_a_graph_runs_many_kernels() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 100)
    trace.graph_launch(10, 20, runs=((30, 40), (40, 50), (50, 60)))
    assert counts(trace) == [(3, 1)]


def test_kernels_whose_launch_is_not_recorded_are_not_known() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 100)
    trace.kernel(10, 20, correlation=99)
    assert counts(trace) == [(None, None)]
