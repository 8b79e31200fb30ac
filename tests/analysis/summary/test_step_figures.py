"""What happened in each step, on the host and on the devices."""

from __future__ import annotations

import scenes
from trace_builder import TraceBuilder

from tbprof.model import HostTime, Step
from tbprof.report import report_of


def step_figures(trace: TraceBuilder) -> tuple[Step, ...]:
    return report_of(trace.trace()).steps


def test_the_host_waits_launches_and_does_other_things() -> None:
    first, *_ = step_figures(scenes.host_bound())
    # A read from 110 to 435 inside an op from 108 to 436, and two launches of 5.
    assert first.host == HostTime(waiting_ns=325_000, loading_ns=0, launching_ns=13_000)


def test_loading_data_is_no_launching_whatever_ops_are_inside() -> None:
    trace = scenes.host_bound(1)
    trace.annotation("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 700, 900)
    trace.op("aten::stack", 720, 800)
    [only] = step_figures(trace)
    assert only.host == HostTime(waiting_ns=325_000, loading_ns=200_000, launching_ns=13_000)


def test_the_causes_are_all_of_the_idle_of_a_step() -> None:
    for step in step_figures(scenes.host_bound()):
        assert sum(step.idle_by_cause.values()) == step.device_idle_ns == 508_000


def test_copying_is_what_a_device_does_beside_no_kernel() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 1000)
    trace.launch(10, 15, runs=(100, 200))
    trace.copy("HtoD", "pinned", 20, 25, runs=(150, 260), size_bytes=4000, stream=20)
    [only] = step_figures(trace)
    assert only.copying_ns == 60_000


def test_without_a_device_its_times_are_not_known() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 1000)
    [only] = step_figures(trace)
    assert (only.copying_ns, only.device_idle_ns, only.idle_by_cause) == (None, None, {})


def test_beside_kernels_alone_nobody_knows_what_the_host_did() -> None:
    trace = TraceBuilder()
    trace.step(0, 0, 1000)
    trace.kernel(100, 200, correlation=1)
    [only] = step_figures(trace)
    assert only.host is None


def test_where_no_thread_trains_the_host_is_in_the_ops_of_those_that_are_there() -> None:
    trace = TraceBuilder()
    trace.op("aten::conv2d", 0, 600)
    trace.op("aten::relu", 700, 1000)
    [window] = step_figures(trace)
    assert window.host == HostTime(waiting_ns=0, loading_ns=0, launching_ns=900_000)
