"""What ran on the devices, and which call launched it."""

from __future__ import annotations

import numpy as np
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE


def launches(facts: Facts) -> list[str]:
    """The name of the call behind each device row, in the order of their start."""
    names, slices = facts.trace.names, facts.trace.slices
    return ["" if row == NONE else names[slices.name[row]] for row in facts.work.launch.tolist()]


def test_kernels_copies_and_memsets_keep_a_device_busy() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 20))
    built.copy("HtoD", "pinned", 2, 3, runs=(30, 40))
    built.memset(4, 5, runs=(50, 60))
    built.gpu_annotation("forward", 10, 90)
    built.synchronize("cudaStreamSynchronize", 6, 80, awaited=7)

    facts = built.facts()
    assert launches(facts) == ["cudaLaunchKernel", "cudaMemcpyAsync", "cudaMemsetAsync"]
    busy = facts.work.busy[0]
    assert (busy.start_ns - built.origin_ns).tolist() == [10_000, 30_000, 50_000]
    assert (busy.end_ns - built.origin_ns).tolist() == [20_000, 40_000, 60_000]


def test_all_kernels_of_a_graph_have_its_launch() -> None:
    built = TraceBuilder()
    built.graph_launch(0, 5, runs=[(10, 20), (20, 30), (40, 50)])
    assert launches(built.facts()) == ["cudaGraphLaunch"] * 3


def test_a_row_without_its_call_has_no_launch_and_was_never_queued() -> None:
    built = TraceBuilder()
    built.kernel(10, 20, correlation=5)
    built.kernel(30, 40, correlation=0)
    facts = built.facts()

    assert launches(facts) == ["", ""]
    assert facts.work.launch_start_ns.tolist() == facts.work.start_ns.tolist()
    assert len(facts.work.queued[0]) == 0


def test_the_correlation_joins_and_external_ids_do_not() -> None:
    """Where `External id` equals the correlation it names the wrong op."""
    built = TraceBuilder("2023")
    built.launch(0, 1, runs=(10, 20))
    built.launch(2, 3, runs=(20, 30), name="second")
    built.events[1]["args"]["External id"] = built.events[4]["args"]["correlation"]

    facts = built.facts()
    assert (facts.work.launch_start_ns - built.origin_ns).tolist() == [0, 2000]


def test_work_is_queued_from_the_return_of_its_launch_to_its_start() -> None:
    built = TraceBuilder()
    built.launch(0, 5, runs=(50, 60))
    built.launch(6, 8, runs=(60, 70))
    built.launch(100, 105, runs=(103, 110))
    queued = built.facts().work.queued[0]

    assert (queued.start_ns - built.origin_ns).tolist() == [5_000]
    assert (queued.end_ns - built.origin_ns).tolist() == [60_000]


def test_each_device_has_its_own_work_and_the_busiest_is_the_main_one() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 20), device=0)
    built.launch(2, 3, runs=(10, 40), device=3)
    built.launch(4, 5, runs=(15, 25), device=0, stream=20)
    facts = built.facts()

    assert facts.work.devices == (0, 3)
    assert facts.work.main_device == 3
    lengths = {device: int((busy.end_ns - busy.start_ns).sum()) for device, busy in facts.work.busy.items()}
    assert lengths == {0: 15_000, 3: 30_000}


def test_a_trace_without_device_rows_has_no_work() -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 10)
    work = built.facts().work
    assert (work.devices, work.main_device, work.rows.tolist()) == ((), None, [])
    assert np.array_equal(work.launch, [])
