"""A GPU whose clock is not the host's."""

from __future__ import annotations

import numpy as np
import pytest
from trace_builder import TraceBuilder

from tbprof.trace.columns.columns import Category, Trace


def launches(*delays_us: float, length_us: float = 30) -> Trace:
    """A kernel each 10 ms, so many us after its call."""
    trace = TraceBuilder()
    for number, delay_us in enumerate(delays_us):
        at = 300_000.0 + 10_000 * number
        trace.op("aten::mm", at, at + 20)
        trace.launch(at + 5, at + 10, runs=(at + 5 + delay_us, at + 5 + delay_us + length_us))
    return trace.trace()


def delays_us(trace: Trace) -> list[float]:
    slices = trace.slices
    kernels, calls = (
        np.flatnonzero(slices.category == category) for category in (Category.KERNEL, Category.RUNTIME)
    )
    return ((np.sort(slices.start_ns[kernels]) - np.sort(slices.start_ns[calls])) / 1000).tolist()


def offset(trace: Trace) -> object:
    return next((fact.numbers["behind_us"] for fact in trace.health if fact.code == "gpu_clock_offset"), None)


@pytest.mark.parametrize("behind_us", [1_500.0, 4_000.0, 250_000.0, -1_500.0, -250_000.0])
def test_rows_that_agree_on_an_offset_are_moved_by_it(behind_us: float) -> None:
    found = launches(*[extra - behind_us for extra in (0, 3, 9, 4) for _ in range(5)])
    assert offset(found) == behind_us + 5, "the soonest begins as its call ends, which takes 5 us"
    assert (min(delays_us(found)), max(delays_us(found))) == (5, 14)
    assert not any(fact.code == "gpu_before_launch" for fact in found.health)


@pytest.mark.parametrize(
    "delays",
    [
        [8.0] * 20,
        [900.0] * 20,
        # What a driver holds back it gives in turn.
        [200.0, 900.0, 1_500.0, 2_000.0] * 5,
        # One that drifts has no offset.
        [-4_000.0 + 100 * number for number in range(20)],
        # They may have waited for their turn, or for another device.
        [250_000.0 + 400 * (number % 3) for number in range(20)],
        # A few rows prove nothing.
        [-4_000.0] * 12,
    ],
)
def test_other_delays_are_left_as_they_are(delays: list[float]) -> None:
    found = launches(*delays)
    assert offset(found) is None
    assert delays_us(found) == pytest.approx(delays)


def test_a_full_queue_keeps_the_delays_of_a_busy_gpu_equal() -> None:
    trace = launches(*[40_000.0] * 20, length_us=9_900)
    assert offset(trace) is None


def test_a_copy_may_well_begin_long_before_its_call_ends() -> None:
    """Of pageable memory, the call stages and waits."""
    trace = TraceBuilder()
    for number in range(20):
        at = 300_000.0 + 10_000 * number
        trace.copy("DtoH", "pageable", at, at + 4_000, runs=(at + 1_000, at + 3_900), size_bytes=8_000_000)
    assert offset(trace.trace()) is None


def test_the_steps_of_the_gpu_move_with_its_rows() -> None:
    built = TraceBuilder()
    for number in range(20):
        at = 300_000.0 + 10_000 * number
        built.launch(at + 5, at + 10, runs=(at - 240_000, at - 239_970))
        built.gpu_annotation(f"ProfilerStep#{number}", at - 240_000, at - 239_970)
    trace = built.trace()
    slices = trace.slices
    kernels, marks = (
        slices.start_ns[slices.category == category]
        for category in (Category.KERNEL, Category.GPU_ANNOTATION)
    )
    assert offset(trace) == 240_010
    assert kernels.tolist() == marks.tolist()
