"""The sums over a window."""

from __future__ import annotations

from scenes import SIDE, host_bound
from trace_builder import TraceBuilder

from tbprof.model import SyncTotals


def test_sync_points_are_added_wherever_they_are() -> None:
    built = host_bound(steps=2)
    built.synchronize("cudaStreamSynchronize", 450, 460, thread=SIDE)
    built.synchronize("cudaEventSynchronize", 3000, 3005)
    built.synchronize("cudaDeviceSynchronize", 3010, 3017)

    assert built.report().sync_points == SyncTotals(
        count=4,
        wait_ns=2 * 322_000 + 10_000 + 5_000,
        wait_in_copy_ns=2 * 320_000,
        wait_in_sync_ns=2 * 2_000 + 10_000 + 5_000,
        explained_ns=2 * 312_000,
        profiler_own_ns=(7_000,),
        not_blocking_ns=0,
    )


def test_a_window_without_any_has_zeros() -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 1)
    assert built.report().sync_points == SyncTotals(0, 0, 0, 0, 0, (), not_blocking_ns=0)
