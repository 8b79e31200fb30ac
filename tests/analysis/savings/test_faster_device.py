"""What any faster device could win at most."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import faster_device_ns


def launching(kernel_us: float, *, every_us: float, call_us: float = 5) -> TraceBuilder:
    """A step of twenty kernels behind one another, each launched so long after the one before."""
    built = TraceBuilder()
    free = 0.0
    for number in range(20):
        at = every_us * number
        free = max(free, at + 6)
        built.launch(at, at + call_us, runs=(free, free + kernel_us))
        free += kernel_us
    built.step(1, 0, every_us * 20)
    return built


def test_beside_a_host_that_never_waits_a_faster_device_wins_nothing() -> None:
    assert faster_device_ns(launching(10, every_us=20).facts()) == 0


def test_what_the_device_does_behind_the_host_is_won() -> None:
    assert faster_device_ns(launching(100, every_us=20).facts()) == (6 + 20 * 100 - 20 * 20) * 1000


def test_a_wait_is_won() -> None:
    built = launching(10, every_us=20)
    built.synchronize("cudaStreamSynchronize", 385, 395)
    assert faster_device_ns(built.facts()) == 10_000


def test_a_launch_of_more_than_20_us_may_have_waited() -> None:
    assert faster_device_ns(launching(10, every_us=60, call_us=50).facts()) == 20 * 30_000
