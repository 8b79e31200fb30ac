"""Which calls can make the host wait, and which one is the profiler's own."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

COPIES = [
    "cudaMemcpy",
    "cudaMemcpyAsync",
    "cudaMemcpy2DAsync",
    "cudaMemcpyPeerAsync",
    "hipMemcpyWithStream",
    "hipMemcpyAsync",
    "cuMemcpyDtoHAsync_v2",
]
SYNCHRONIZES = [
    "cudaStreamSynchronize",
    "cudaDeviceSynchronize",
    "cudaEventSynchronize",
    "hipStreamSynchronize",
    "hipDeviceSynchronize",
    "hipEventSynchronize",
    "cuStreamSynchronize",
    "cuCtxSynchronize",
    "cuEventSynchronize",
]
OTHERS = [
    "cudaEventQuery",
    "cudaStreamWaitEvent",
    "cudaMalloc",
    "cudaFree",
    "cudaHostAlloc",
    "cudaGraphLaunch",
    "cudaMemsetAsync",
    "cudaStreamQuery",
    "INVALID",
]


def named(name: str) -> TraceBuilder:
    """A call of that name, and one that follows it, so that it is not the profiler's own."""
    built = TraceBuilder()
    built.call(name, 10, 20)
    built.call("cudaLaunchKernel", 30, 31)
    return built


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_calls(name: str) -> None:
    calls = named(name).facts().calls
    assert calls.is_copy.tolist() == [True]
    assert calls.is_async.tolist() == ["Async" in name]


@pytest.mark.parametrize("name", SYNCHRONIZES)
def test_synchronizes_are_calls(name: str) -> None:
    calls = named(name).facts().calls
    assert calls.is_copy.tolist() == [False]
    assert calls.is_stream_sync.tolist() == ["Stream" in name]


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_is_a_call(name: str) -> None:
    assert len(named(name).facts().calls.rows) == 0


def test_an_op_of_such_a_name_is_no_call() -> None:
    built = TraceBuilder()
    built.op("cudaStreamSynchronize", 0, 10)
    assert len(built.facts().calls.rows) == 0


def test_a_cuda_sync_row_is_no_call() -> None:
    built = TraceBuilder()
    built.synchronize("cudaStreamSynchronize", 0, 10, awaited=7)
    assert len(built.facts().calls.rows) == 1


def test_the_last_device_synchronize_is_the_profilers_own() -> None:
    built = TraceBuilder()
    built.synchronize("cudaDeviceSynchronize", 100, 110)
    built.synchronize("cudaDeviceSynchronize", 200, 214.5)
    report = built.report()

    assert report.sync_points.profiler_own_ns == (14_500,)
    assert (report.sync_points.count, report.sync_points.wait_ns) == (1, 10_000)
    assert [site.wait_ns for site in report.sites] == [10_000]


def test_it_is_the_profilers_own_even_inside_a_step() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.synchronize("cudaDeviceSynchronize", 900, 910)
    report = built.report()

    assert report.sync_points.profiler_own_ns == (10_000,)
    assert report.steps[0].sync_points == 0


def test_only_the_last_one_can_be_the_profilers_own() -> None:
    """That the last one is inside an op does not hand the role to the one before it."""
    built = TraceBuilder()
    built.synchronize("cudaDeviceSynchronize", 100, 110)
    built.op("aten::add", 190, 230)
    built.synchronize("cudaDeviceSynchronize", 200, 210)
    report = built.report()

    assert report.sync_points.profiler_own_ns == ()
    assert report.sync_points.count == 2


def test_it_is_the_users_if_a_runtime_call_follows_on_its_thread() -> None:
    built = TraceBuilder()
    built.synchronize("cudaDeviceSynchronize", 100, 110)
    built.call("cudaEventRecord", 120, 121)
    assert built.report().sync_points.profiler_own_ns == ()


def test_calls_of_another_thread_may_follow_it() -> None:
    built = TraceBuilder()
    built.synchronize("cudaDeviceSynchronize", 100, 110)
    built.call("cudaEventQuery", 120, 121, thread=SIDE)
    assert built.report().sync_points.profiler_own_ns == (10_000,)


@pytest.mark.parametrize(
    ("frame", "own"),
    [
        ("torch/profiler/profiler.py(640): stop", (10_000,)),
        ("/opt/env/lib/python3.12/site-packages/torch/autograd/profiler.py(370): __exit__", (10_000,)),
        ("train.py(3): main", ()),
        ("torch/cuda/__init__.py(773): synchronize", ()),
        ("torch/autograd/graph.py(12): profiler", ()),
    ],
)
def test_where_it_has_frames_one_must_be_the_profilers(frame: str, own: tuple[int, ...]) -> None:
    built = TraceBuilder()
    built.frame("train.py(1): <module>", 0, 300)
    built.frame(frame, 50, 250)
    built.synchronize("cudaDeviceSynchronize", 100, 110)
    assert built.report().sync_points.profiler_own_ns == own


def test_frames_that_do_not_contain_it_do_not_matter() -> None:
    built = TraceBuilder()
    built.frame("train.py(1): main", 0, 90)
    built.frame("train.py(1): other", 0, 300, thread=SIDE)
    built.synchronize("cudaDeviceSynchronize", 100, 110)
    assert built.report().sync_points.profiler_own_ns == (10_000,)


def test_a_stream_synchronize_is_never_the_profilers_own() -> None:
    built = TraceBuilder()
    built.synchronize("cudaStreamSynchronize", 100, 110)
    assert built.report().sync_points.profiler_own_ns == ()
