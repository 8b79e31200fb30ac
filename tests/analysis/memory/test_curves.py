"""Curves and lifetimes: torch-tb-profiler's own test, addresses that are used again, a recorded trace."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from operator_scenes import facts_of
from trace_builder import TraceBuilder

from tbprof.analysis.device_work import device_name
from tbprof.analysis.figures.memory_blocks import (
    MEMORY_TABLES,
    Blocks,
    MemoryCurve,
    find_blocks,
    memory_curves,
)
from tbprof.trace.columns.arrays import NONE
from tbprof.trace.columns.tables import MemoryEvents
from tbprof.trace.reading import read_trace

ON_THE_CPU = (
    (1, 1, 4, 4, 0),
    (20, 1, -4, 0, 0),
    (100, 2, 8000, 8000, 0),
    (200, 2, -8000, 0, 0),
    (300, 3, 4, 4, 0),
    (400, 4, 16, 20, 0),
    (500, 5, 4000, 4020, 0),
    (600, 4, -16, 4004, 0),
    (700, 7, 80, 4084, 0),
    (800, 3, -4, 4080, 0),
    (900, 7, -80, 4000, 0),
    (905, 4, -4000, 0, 0),
)
ON_THE_GPU = (
    (2, 11, 400, 400, 512),
    (22, 11, -400, 0, 512),
    (105, 12, 5000, 5000, 10240),
    (106, 13, 3000, 8000, 10240),
    (205, 12, -5000, 3000, 10240),
    (401, 14, 1024, 4024, 10240),
    (499, 15, 4, 4028, 10240),
    (501, 13, -3000, 1028, 10240),
    (502, 15, -4, 1024, 10240),
    (906, 14, -1024, 0, 10240),
)
"""`TestMemoryCurve` of torch-tb-profiler: time in us, address, bytes, totals allocated and reserved."""


def memory_of(built: TraceBuilder) -> MemoryEvents:
    built.op("aten::nothing", 0, 1)
    memory = facts_of(built).trace.memory
    assert memory is not None
    return memory


def classic() -> tuple[MemoryEvents, tuple[MemoryCurve, ...]]:
    built = TraceBuilder()
    # Recorded by several threads, and so not in their order.
    for device, events in ((None, ON_THE_CPU), (0, ON_THE_GPU)):
        for at, address, size, *totals in reversed(events):
            built.memory(at, size, device=device, address=address, totals=(totals[0], totals[1]))
    memory = memory_of(built)
    return memory, memory_curves(memory)


def test_curves_are_point_for_point_those_of_the_classic_view() -> None:
    _, (gpu, cpu) = classic()
    for curve, events in ((gpu, ON_THE_GPU), (cpu, ON_THE_CPU)):
        reserved = np.zeros(len(events), np.int64) if curve.reserved_bytes is None else curve.reserved_bytes
        times = (curve.time_ns - curve.time_ns[0]) // 1000 + events[0][0]
        points = list(zip(times.tolist(), curve.allocated_bytes.tolist(), reserved.tolist(), strict=True))
        assert points == [(at, allocated, held) for at, _, _, allocated, held in events]
    assert (gpu.device, cpu.device, gpu.is_recorded) == ("GPU 0", "CPU", True)
    assert (gpu.peak, cpu.peak, cpu.reserved_bytes) == (3, 2, None)


def found(built: TraceBuilder) -> Blocks:
    memory = memory_of(built)
    (curve,) = memory_curves(memory)
    blocks = find_blocks(memory, curve)
    assert blocks is not None
    return blocks


def test_a_block_ends_where_its_address_is_given_back() -> None:
    memory, (gpu, _) = classic()
    blocks = find_blocks(memory, gpu)
    assert blocks is not None
    assert blocks.allocated_at.tolist() == [0, 2, 3, 5, 6]
    assert blocks.freed_at.tolist() == [1, 4, 7, 9, 8]
    assert blocks.bytes[blocks.alive_after(gpu.peak)].tolist() == [5000, 3000]


def test_blocks_without_one_of_their_ends() -> None:
    built = TraceBuilder()
    for at, address, size in ((1, 7, -64), (2, 8, 32), (3, 9, 16), (4, 9, 8), (5, 9, -8)):
        built.memory(at, size, address=address)
    blocks = found(built)
    assert blocks.allocated_at.tolist() == [NONE, 1, 2, 3]
    assert blocks.freed_at.tolist() == [0, NONE, NONE, 4]
    # Nobody was seen to give back the first block of address 9, but another one lies there.
    assert blocks.bytes[blocks.alive_after(3)].tolist() == [32, 8]
    assert blocks.bytes[blocks.alive_after(2)].tolist() == [32, 16]


def test_without_totals_the_curve_is_the_sum_of_the_events_and_never_below_nothing() -> None:
    built = TraceBuilder(era="2021")
    for at, size in ((1, 10), (2, -30), (3, 5)):
        built.memory(at, size, device=1)
    memory = memory_of(built)
    (curve,) = memory_curves(memory)
    assert (curve.device, curve.is_recorded, curve.reserved_bytes) == ("GPU 1", False, None)
    assert curve.allocated_bytes.tolist() == [30, 0, 5]
    assert find_blocks(memory, curve) is None


@pytest.mark.parametrize(
    ("kind", "number", "name"), [(0, -1, "CPU"), (1, 3, "GPU 3"), (6, 0, "GPU 0"), (20, 2, "device 2")]
)
def test_devices_are_called_by_their_kind(kind: int, number: int, name: str) -> None:
    assert device_name(kind, number) == name


def test_devices_with_odd_numbers_have_curves_too() -> None:
    built = TraceBuilder()
    for device in (-5, -1, 0, 120):
        built.memory(1, 10, device=device)
    names = [curve.device for curve in memory_curves(memory_of(built))]
    assert names == ["GPU -5", "GPU -1", "GPU 0", "GPU 120"]


def test_recorded_totals_change_by_what_each_event_says(traces: Path) -> None:
    trace = read_trace(next((traces / "hta_df_index_memory").glob("*.gz")), tables=MEMORY_TABLES)
    assert trace.memory is not None
    curves = memory_curves(trace.memory)
    assert sum(len(curve.events) for curve in curves) == 28_010
    for curve in curves:
        assert np.array_equal(curve.allocated_bytes, trace.memory.total_allocated_bytes[curve.events])
        assert np.array_equal(np.diff(curve.allocated_bytes), trace.memory.bytes[curve.events][1:])


def test_a_peak_with_a_time_before_all_others_is_at_the_beginning() -> None:
    built = TraceBuilder()
    built.memory(0, 512, totals=(512, 512))
    (curve,) = memory_curves(memory_of(built))
    assert (curve.peak_ns(-7), curve.peak_ns(int(curve.time_ns[0]) + 1)) == (int(curve.time_ns[0]) + 7, 0)
