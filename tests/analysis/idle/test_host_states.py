"""What a host waits for that is neither its own work nor that of the idle device."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

from tbprof.model import Report


def causes(report: Report) -> dict[str, int]:
    assert report.idle is not None
    return {cause: ns // 1000 for cause, ns in report.idle.by_device["0"].by_cause.items()}


def step_with_a_late_launch() -> TraceBuilder:
    """The device works until 100 and from 906 on; the next launch is at 900."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(2, 100))
    built.launch(900, 901, runs=(906, 1000))
    return built


@pytest.mark.parametrize("name", ["c10d::barrier", "c10d::monitored_barrier", "gloo:all_reduce"])
def test_a_host_in_a_collective_of_its_own_waits_for_other_ranks(name: str) -> None:
    built = step_with_a_late_launch()
    built.op(name, 150, 850)
    assert causes(built.report())["collective"] == 700


def test_a_host_that_does_nothing_waits_for_the_collective_of_another_thread() -> None:
    built = step_with_a_late_launch()
    built.op("c10d::allreduce_", 140, 150)
    built.annotation("gloo:all_reduce", 145, 850, thread=SIDE)
    built.op("aten::add", 200, 300)
    # All but the op, in which the host does its own work.
    assert causes(built.report())["collective"] == 705 - 100


@pytest.mark.parametrize("name", ["trainer_hook.py(120): step", "turn.py(84): catch_up"])
def test_the_work_of_the_hook_is_not_that_of_the_program(name: str) -> None:
    built = step_with_a_late_launch()
    built.frame(f"tbprof/hook/{name}", 150, 850)
    assert causes(built.report())["profiler"] == 700


def test_collectives_of_the_device_are_none_of_the_host() -> None:
    built = step_with_a_late_launch()
    built.op("c10d::allreduce_", 150, 850)
    built.annotation("nccl:all_reduce", 145, 850, thread=SIDE)
    assert "collective" not in causes(built.report())


def test_another_rank_may_decide_when_a_collective_ends_so_nothing_is_promised() -> None:
    for name, is_told in (("aten::add", True), ("c10d::barrier", False)):
        built = step_with_a_late_launch()
        built.synchronize("cudaStreamSynchronize", 10, 101)
        built.op(name, 102, 895)
        savings = built.report().savings
        assert savings is not None
        assert (savings.estimate_ns is not None, savings.floor_ns > 50_000) == (is_told, is_told)


def test_a_wait_for_another_device_is_recorded() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(2, 100))
    built.launch(3, 4, runs=(100, 800), device=1)
    built.synchronize("cudaDeviceSynchronize", 10, 850)
    built.launch(900, 901, runs=(906, 1000))
    of_first = causes(built.report())
    assert of_first["another_device"] == 700
    # While neither works, nothing recorded explains the wait.
    assert of_first["unrecorded"] == 50


def test_without_a_launch_that_is_tied_to_its_work_no_host_is_said_to_launch_late() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.op("aten::mul", 0, 1000)
    built.kernel(2, 100, correlation=1)
    built.kernel(906, 1000, correlation=1)
    assert causes(built.report()) == {"unknown": 2 + 806}


def test_what_a_thread_was_in_is_the_same_in_pieces_of_any_size() -> None:
    built = step_with_a_late_launch()
    for start, end in ((10, 60), (20, 30), (60, 90), (40, 45), (200, 210)):
        built.op("aten::add", start, end)
    spans = []
    for piece in (1, 2, 100):
        with patch("tbprof.analysis.host_states._AT_ONCE", piece):
            inside = built.facts().host_lanes.in_torch
        spans.append([(one - built.origin_ns) // 1000 for one in (*inside.start_ns, *inside.end_ns)])
    assert spans == [[0, 10, 200, 900, 1, 90, 210, 901]] * 3
