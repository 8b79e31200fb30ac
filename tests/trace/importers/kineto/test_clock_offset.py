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
    return next((fact.numbers["offset_us"] for fact in trace.health if fact.code == "gpu_clock_offset"), None)


@pytest.mark.parametrize("offset_us", [-4_000.0, 250_000.0])
def test_rows_that_agree_on_an_offset_are_moved_by_it(offset_us: float) -> None:
    found = launches(*[offset_us + extra for extra in (0, 3, 9, 4) for _ in range(5)])
    assert offset(found) == offset_us - 5, "the soonest begins as its call ends, which takes 5 us"
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
        [1_000.0 + 100 * number for number in range(20)],
        # A few rows prove nothing.
        [-4_000.0] * 12,
    ],
)
def test_other_delays_are_left_as_they_are(delays: list[float]) -> None:
    found = launches(*delays)
    assert offset(found) is None
    assert delays_us(found) == pytest.approx(delays)


def test_a_gpu_that_is_never_idle_may_well_be_late() -> None:
    """The host runs ahead of it: its work waits for its turn."""
    assert offset(launches(*[5_000.0] * 20, length_us=10_000)) is None
