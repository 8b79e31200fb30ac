"""What is one wait, what is two, and which copies block: to the ns."""

from __future__ import annotations

import pytest
from scenes import SIDE, EpisodeRow, episodes_of
from trace_builder import TraceBuilder

SYNC = "cudaStreamSynchronize"
COPY = "cudaMemcpyAsync"


def test_a_copy_and_the_synchronize_after_it_are_one_wait() -> None:
    built = TraceBuilder()
    built.op("aten::copy_", 0, 100)
    built.copy("HtoD", "pageable", 10, 20.25, runs=(12, 18))
    built.synchronize(SYNC, 21, 50.5)

    assert episodes_of(built.facts()) == [
        EpisodeRow((COPY, SYNC), "HtoD", "pageable", blocking=True, wait_ns=10_250 + 29_500)
    ]


def test_the_time_between_the_two_is_no_wait_and_does_not_matter() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 20, runs=(12, 18))
    built.synchronize(SYNC, 5_000_000, 5_000_007)

    assert [row.wait_ns for row in episodes_of(built.facts())] == [17_000]


def test_other_calls_between_them_do_not_matter() -> None:
    built = TraceBuilder()
    built.op("aten::copy_", 0, 100)
    built.copy("HtoD", "pageable", 10, 20, runs=(12, 18))
    built.call("cudaEventRecord", 21, 22)
    built.launch(23, 24, runs=(30, 40))
    built.call("cudaStreamWaitEvent", 25, 26)
    built.synchronize(SYNC, 50, 60)

    assert [row.calls for row in episodes_of(built.facts())] == [(COPY, SYNC)]


def test_another_copy_between_them_takes_the_synchronize() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 20, runs=(12, 18))
    built.copy("HtoD", "pinned", 30, 40, runs=(32, 38))
    built.synchronize(SYNC, 50, 60)

    assert episodes_of(built.facts()) == [
        EpisodeRow((COPY,), "HtoD", "pageable", blocking=False, wait_ns=10_000),
        EpisodeRow((COPY, SYNC), "HtoD", "pinned", blocking=True, wait_ns=20_000),
    ]


def test_a_second_synchronize_stands_alone() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 20, runs=(12, 18))
    built.synchronize(SYNC, 30, 40)
    built.synchronize(SYNC, 50, 61)

    assert episodes_of(built.facts())[1] == EpisodeRow((SYNC,), "", "", blocking=True, wait_ns=11_000)


def test_the_same_op_again_is_another_instance() -> None:
    built = TraceBuilder()
    built.op("aten::copy_", 0, 25)
    built.op("aten::copy_", 28, 60)
    built.copy("HtoD", "pageable", 10, 20, runs=(12, 18))
    built.synchronize(SYNC, 30, 40)

    assert episodes_of(built.facts()) == [
        EpisodeRow((COPY,), "HtoD", "pageable", blocking=False, wait_ns=10_000),
        EpisodeRow((SYNC,), "", "", blocking=True, wait_ns=10_000),
    ]


def test_an_op_around_one_of_them_only_keeps_them_apart() -> None:
    built = TraceBuilder()
    built.op("aten::to", 0, 100)
    built.op("aten::copy_", 5, 25)
    built.copy("HtoD", "pinned", 10, 20, runs=(12, 18))
    built.synchronize(SYNC, 30, 40)

    assert [row.calls for row in episodes_of(built.facts())] == [(COPY,), (SYNC,)]


def test_a_synchronize_of_another_thread_is_not_joined() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pinned", 10, 20, runs=(12, 18))
    built.synchronize(SYNC, 30, 40, thread=SIDE)

    assert [row.calls for row in episodes_of(built.facts())] == [(COPY,), (SYNC,)]


@pytest.mark.parametrize("name", ["cudaDeviceSynchronize", "cudaEventSynchronize"])
def test_device_and_event_synchronizes_are_never_joined(name: str) -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pinned", 10, 20, runs=(12, 18))
    built.synchronize(name, 30, 40)
    built.call("cudaEventRecord", 50, 51)

    assert episodes_of(built.facts()) == [
        EpisodeRow((COPY,), "HtoD", "pinned", blocking=False, wait_ns=10_000),
        EpisodeRow((name,), "", "", blocking=True, wait_ns=10_000),
    ]


def test_a_synchronize_without_a_copy_or_an_op_is_a_point() -> None:
    built = TraceBuilder()
    built.synchronize(SYNC, 30, 40)
    report = built.report()

    assert report.sync_points.count == 1
    assert (report.sites[0].direction, report.sites[0].memory, report.sites[0].ops) == ("", "", ())


def test_a_read_into_pageable_memory_blocks_without_a_synchronize() -> None:
    built = TraceBuilder()
    built.copy("DtoH", "pageable", 10, 20, runs=(12, 18))
    assert [row.blocking for row in episodes_of(built.facts())] == [True]


def test_a_read_into_pinned_memory_blocks_only_by_its_synchronize() -> None:
    """Torch of 2025 reads scalars this way."""
    built = TraceBuilder()
    built.copy("DtoH", "pinned", 10, 20, runs=(12, 18))
    assert [row.blocking for row in episodes_of(built.facts())] == [False]

    built.synchronize(SYNC, 30, 40)
    assert episodes_of(built.facts()) == [
        EpisodeRow((COPY, SYNC), "DtoH", "pinned", blocking=True, wait_ns=20_000)
    ]


def test_a_large_pageable_upload_without_a_synchronize_does_not_block_however_long() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 40_000, runs=(12, 39_990), size_bytes=200_000_000)
    report = built.report()

    assert report.sync_points.count == 0
    assert [(row.count, row.blocking) for row in report.copies] == [(1, 0)]
    assert [(site.blocking, site.wait_ns) for site in report.sites] == [(0, 39_990_000)]


@pytest.mark.parametrize("call", ["cudaMemcpy", "cudaMemcpy2D", "cuMemcpyHtoD_v2"])
def test_a_call_without_async_in_its_name_blocks(call: str) -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pinned", 10, 20, runs=(12, 18), call=call)
    assert [row.blocking for row in episodes_of(built.facts())] == [True]


def test_a_synchronous_copy_within_the_device_is_a_point_as_well() -> None:
    built = TraceBuilder()
    built.copy("DtoD", "", 10, 20, runs=(12, 18), call="cudaMemcpy")
    built.copy("DtoD", "", 30, 40, runs=(32, 38))

    assert episodes_of(built.facts()) == [
        EpisodeRow(("cudaMemcpy",), "DtoD", "", blocking=True, wait_ns=10_000),
        EpisodeRow((COPY,), "DtoD", "", blocking=False, wait_ns=10_000),
    ]


def test_a_copy_call_without_a_device_row_is_a_point_if_it_blocks_and_never_a_copy() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 20, runs=None)
    built.synchronize(SYNC, 30, 40)
    built.copy("HtoD", "pageable", 50, 60, runs=None)
    report = built.report()

    assert report.sync_points.count == 1
    assert report.copies == ()
    assert [(s.direction, s.memory, s.bytes, s.calls) for s in report.sites] == [("", "", 0, (COPY, SYNC))]


def test_the_wait_is_the_whole_time_in_the_calls() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pageable", 10, 20.001, runs=(12, 18))
    built.synchronize(SYNC, 30, 40.002)
    built.synchronize(SYNC, 50, 50.5)
    totals = built.report().sync_points

    assert (totals.wait_in_copy_ns, totals.wait_in_sync_ns) == (10_001, 10_002 + 500)
    assert totals.wait_ns == 10_001 + 10_002 + 500


def test_waits_of_several_threads_are_added() -> None:
    built = TraceBuilder()
    built.synchronize(SYNC, 0, 100)
    built.synchronize(SYNC, 0, 100, thread=SIDE)

    report = built.report()
    assert (report.sync_points.count, report.sync_points.wait_ns) == (2, 200_000)


def test_a_wait_belongs_to_the_step_that_holds_the_start_of_its_first_call() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.step(2, 100, 200)
    built.copy("HtoD", "pageable", 99.999, 120, runs=(110, 120))
    built.synchronize(SYNC, 130, 140)
    built.synchronize(SYNC, 100, 105, thread=SIDE)
    built.synchronize(SYNC, 200, 205)

    report = built.report()
    assert [(step.sync_points, step.wait_ns) for step in report.steps] == [(1, 30_001), (1, 5_000)]
    assert (report.sync_points.count, report.sync_points.wait_ns) == (3, 40_001)


@pytest.mark.parametrize("era", ["2021", "2022", "2023", "2024+"])
def test_the_same_wait_is_the_same_in_each_era(era: str) -> None:
    built = TraceBuilder(era)
    built.op("aten::item", 0, 100)
    built.copy("DtoH", "pageable", 10, 20, runs=(12, 18))
    built.synchronize(SYNC, 30, 40)

    assert episodes_of(built.facts()) == [
        EpisodeRow((COPY, SYNC), "DtoH", "pageable", blocking=True, wait_ns=20_000)
    ]
