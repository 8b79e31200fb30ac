"""The one thing to say of a window."""

from __future__ import annotations

import pathlib

import pytest
from scenes import gpu_bound, host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.model import Verdict
from tbprof.report import build_report


def verdict_of(built: TraceBuilder) -> Verdict:
    verdict = built.report().verdict
    assert verdict is not None
    return verdict


def test_waits_that_cost_something_are_a_bracket() -> None:
    verdict = verdict_of(host_bound(steps=4))
    assert verdict.case == "bracket"
    assert verdict.numbers == {
        "steps": 4,
        "steps_us": 4000.0,
        "idle_share": 0.508,
        "empty_share": 0.498,
        "wait_us": 1288.0,
        "points": 4,
        "floor_us": 640.0,
        "ceiling_us": 1288.0,
        "estimate_us": 1248.0,
    }


def test_waits_beside_a_busy_device_are_its_pace() -> None:
    assert verdict_of(gpu_bound()).case == "gpu_bound"


def test_a_window_without_waits_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.launch(0, 1, runs=(2, 100))
    assert verdict_of(built).case == "no_waits"


def loading(exposed: float, *, busy: float = 0) -> TraceBuilder:
    """A step of 1000 us in which the device waits `exposed` for the loader, after a read of `busy`."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 1, runs=(1, 100))
    if busy:
        read_scalar(built, 100 - busy, wait=busy)
    built.annotation("enumerate(DataLoader)#_Iter.__next__", 104, 104 + exposed)
    built.launch(104 + exposed, 105 + exposed, runs=(105 + exposed, 1000))
    return built


@pytest.mark.parametrize(("exposed", "case"), [(49.999, "no_waits"), (50, "input")])
def test_from_5_percent_on_the_loader_is_what_binds(exposed: float, case: str) -> None:
    assert verdict_of(loading(exposed)).case == case


def test_the_idle_of_the_cause_is_told() -> None:
    verdict = verdict_of(loading(400, busy=50))
    assert (verdict.case, verdict.numbers["cause_share"]) == ("input", 0.4)
    assert verdict.numbers["points"] == 1


def late(idle: float, *, wait: float = 0) -> TraceBuilder:
    """A step of 1000 us in which the host launches `idle` too late, and waits before it."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 0, runs=(0, 300))
    if wait:
        read_scalar(built, 296 - wait, wait=wait)
        built.launch(301, 302, runs=(302, 303))
    built.launch(303 + idle, 303 + idle, runs=(303 + idle, 1000))
    return built


@pytest.mark.parametrize(("idle", "case"), [(46.999, "no_waits"), (47, "host")])
def test_from_5_percent_on_a_late_host_is_what_binds(idle: float, case: str) -> None:
    assert verdict_of(late(idle)).case == case


@pytest.mark.parametrize(("wait", "case"), [(198.999, "host"), (199, "bracket")])
def test_a_host_whose_waits_can_explain_it_is_not_to_blame(wait: float, case: str) -> None:
    """It is late for 201; the read takes 2 more than its wait, and can have taken as much of its lead."""
    assert verdict_of(late(200, wait=wait)).case == case


@pytest.mark.parametrize(("idle", "case"), [(49.999, "no_waits"), (50, "queued")])
def test_from_5_percent_on_idle_with_work_queued_is_what_binds(idle: float, case: str) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 0, runs=(idle, 1000))
    assert verdict_of(built).case == case


@pytest.mark.parametrize(
    ("file", "case"),
    [
        ("kineto_resnet50_nw0/worker0.1623143089861.pt.trace.json.gz", "input"),
        ("kineto_resnet50_nw4/worker0.1623213129365.pt.trace.json.gz", "host"),
        ("h100_transformer_clean/dc3b_3169006.pt.trace.json.gz", "host"),
        ("hta_trace_diff/control.json.gz", "bracket"),
        ("hta_trace_diff/test.json.gz", "gpu_bound"),
    ],
)
def test_public_traces_are_bound_by_what_is_known_of_them(
    traces: pathlib.Path, file: str, case: str
) -> None:
    verdict = build_report(traces / file).verdict
    assert verdict is not None
    assert verdict.case == case


def test_a_window_without_device_rows_is_not_judged() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.synchronise("cudaStreamSynchronize", 10, 20)
    built.call("cudaEventRecord", 30, 31)
    assert verdict_of(built) == Verdict("no_device", {})


@pytest.mark.parametrize(("empty", "case"), [(9.999, "gpu_bound"), (10, "bracket")])
def test_from_one_percent_of_empty_idle_on_the_device_runs_dry(empty: float, case: str) -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, empty, runs=(empty, 1000))
    built.synchronise("cudaStreamSynchronize", 500, 600)
    built.call("cudaEventRecord", 700, 701)
    assert verdict_of(built).case == case
