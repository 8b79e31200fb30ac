"""Rows of a GPU that run over the next ones of their stream, or over all that was recorded."""

from __future__ import annotations

import numpy as np
import pytest
from trace_builder import TraceBuilder

from tbprof.trace.columns.columns import Category, Trace


def busy_us(trace: Trace) -> list[float]:
    rows = np.flatnonzero(trace.slices.category == Category.KERNEL)
    return (trace.slices.duration_ns[rows] / 1000).tolist()


def cut(trace: Trace) -> dict[str, object]:
    return next((dict(fact.numbers) for fact in trace.health if fact.code == "gpu_rows_cut"), {})


def launches(vendor: str, *durations: float, stream: int = 7) -> TraceBuilder:
    """A kernel each 100 us, of so many us."""
    trace = TraceBuilder(vendor=vendor)
    for number, duration in enumerate(durations):
        at = 100.0 * number
        trace.op("aten::mm", at, at + 20)
        trace.launch(at + 5, at + 10, runs=(at + 30, at + 30 + duration), name=f"k{number}", stream=stream)
    return trace


def test_a_row_of_an_amd_gpu_ends_where_the_next_of_its_stream_begins() -> None:
    trace = launches("hip", 40, 9_000, *[40] * 10).trace()
    assert busy_us(trace) == [40, 100, *[40] * 10]
    assert cut(trace) == {"rows": 1, "worst_us": 8_900.0, "name": "k1"}


def test_streams_may_work_side_by_side() -> None:
    trace = launches("hip", *[40] * 12)
    trace.launch(30, 40, runs=(45, 1_100), stream=9)
    found = trace.trace()
    assert max(busy_us(found)) == 1_055
    assert cut(found) == {}


def test_kernels_of_a_graph_may_overlap_on_a_stream_of_an_nvidia_gpu() -> None:
    trace = launches("cuda", 40, 150, *[40] * 10).trace()
    assert max(busy_us(trace)) == 150
    assert cut(trace) == {}


def test_where_many_rows_overlap_they_are_of_several_streams() -> None:
    trace = launches("hip", *[150] * 12).trace()
    assert busy_us(trace) == [150.0] * 12
    assert cut(trace) == {}


@pytest.mark.parametrize("vendor", ["cuda", "hip"])
def test_a_row_that_outlasts_the_recording_ends_with_all_others(vendor: str) -> None:
    trace = launches(vendor, *[40] * 12, 1_700_000).trace()
    assert sum(busy_us(trace)) <= 12 * 40
    assert cut(trace)["rows"] == 1


def test_a_long_kernel_may_well_be_the_last_one() -> None:
    trace = launches("cuda", 40, 90_000).trace()
    assert busy_us(trace) == [40, 90_000]
    assert cut(trace) == {}
