"""The wait of a site that is drawn: the median one, with what is around it."""

from __future__ import annotations

from scenes import host_bound
from trace_builder import TraceBuilder

from tbprof.model import Instance, Span

SYNC = "cudaStreamSynchronize"


def instance_of(built: TraceBuilder) -> Instance:
    instance = built.report().sites[0].instance
    assert instance is not None
    return instance


def test_it_is_the_calls_between_the_launches_over_what_the_device_did() -> None:
    instance = instance_of(host_bound(steps=1))
    assert instance.host == (
        Span("launch", "cudaLaunchKernel", 10_000, 5_000),
        Span("copy_call", "cudaMemcpyAsync", 110_000, 320_000),
        Span("sync_call", SYNC, 433_000, 2_000),
        Span("launch", "cudaLaunchKernel", 600_000, 5_000),
    )
    assert instance.device == (
        Span("kernel", "", 20_000, 402_000),
        Span("kernel", "kernel", 610_000, 90_000),
    )
    assert instance.op == Span("launch", "aten::item", 108_000, 328_000)
    assert instance.step == 0


def test_the_median_wait_is_drawn() -> None:
    built = TraceBuilder()
    for number, length in enumerate((5, 90, 30)):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.synchronize(SYNC, start + 10, start + 10 + length)
    instance = instance_of(built)
    assert instance.step == 2
    assert instance.host == (Span("sync_call", SYNC, 2_010_000, 30_000),)
    assert (instance.device, instance.op) == ((), None)


def test_a_wait_outside_the_steps_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 10)
    built.synchronize(SYNC, 20, 30)
    assert instance_of(built).step is None


def test_rows_that_lie_close_are_one_bar_without_a_name() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 200), name="first")
    built.launch(2, 3, runs=(201, 300), name="second")
    built.memset(4, 5, runs=(600, 700))
    built.synchronize(SYNC, 50, 800)
    assert instance_of(built).device == (
        Span("kernel", "", 100_000, 200_000),
        Span("memset", "Memset (Device)", 600_000, 100_000),
    )
