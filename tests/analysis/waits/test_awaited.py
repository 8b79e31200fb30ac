"""Which part of a wait the awaited device spent on recorded work."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import TraceBuilder

SYNC = "cudaStreamSynchronize"


def explained_ns(built: TraceBuilder) -> list[int]:
    """Of each episode, by its start."""
    facts = built.facts()
    order = facts.episodes.start_ns.argsort(kind="stable")
    explained: list[int] = facts.awaited.explained_ns[order].tolist()
    return explained


def test_it_is_the_overlap_of_the_calls_with_the_work_of_all_streams() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 130), stream=7)
    built.launch(2, 3, runs=(100, 160), stream=20)
    built.copy("DtoH", "pageable", 100, 200, runs=(198, 200), stream=30)
    built.synchronize(SYNC, 205, 210)

    # 100-160 and 198-200 of the copy call; nothing ran during the synchronize.
    assert explained_ns(built) == [62_000]


def test_the_time_between_the_calls_explains_nothing() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 500))
    built.copy("DtoH", "pageable", 100, 110, runs=(500, 501))
    built.synchronize(SYNC, 200, 220)
    assert explained_ns(built) == [30_000]


def test_a_copy_that_did_not_block_has_nothing_to_explain() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 500))
    built.copy("HtoD", "pinned", 100, 110, runs=(500, 501))
    assert explained_ns(built) == [0]


@pytest.mark.parametrize("name", [SYNC, "cudaEventSynchronize"])
def test_a_sync_row_names_the_stream_that_was_awaited(name: str) -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 130), stream=7)
    built.launch(2, 3, runs=(100, 190), stream=20)
    built.synchronize(name, 100, 200, awaited=7)
    built.call("cudaEventRecord", 210, 211)
    assert explained_ns(built) == [30_000]


def test_a_sync_row_that_names_none_leaves_all_streams() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 130), stream=7)
    built.launch(2, 3, runs=(100, 190), stream=20)
    built.synchronize("cudaEventSynchronize", 100, 200, awaited=-1)
    built.call("cudaEventRecord", 210, 211)
    assert explained_ns(built) == [90_000]


def test_the_sync_row_of_a_joined_synchronize_counts_for_the_whole_wait() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 130), stream=7)
    built.launch(2, 3, runs=(100, 190), stream=20)
    built.copy("HtoD", "pageable", 100, 110, runs=(130, 131), stream=7)
    built.synchronize(SYNC, 110, 200, awaited=7)
    assert explained_ns(built) == [31_000]


def test_streams_are_followed_to_those_that_they_wait_for_and_so_on() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 110), stream=7)
    built.launch(2, 3, runs=(120, 130), stream=20)
    built.launch(4, 5, runs=(140, 150), stream=30)
    built.launch(6, 7, runs=(160, 170), stream=40)
    built.stream_wait(10, 11, stream=7, awaited=20)
    built.stream_wait(12, 13, stream=20, awaited=30)
    built.stream_wait(14, 15, stream=40, awaited=7)
    built.synchronize(SYNC, 100, 200, awaited=7)
    assert explained_ns(built) == [30_000]


def test_what_a_stream_is_told_later_does_not_count() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 110), stream=7)
    built.launch(2, 3, runs=(120, 130), stream=20)
    built.synchronize(SYNC, 100, 200, awaited=7)
    built.stream_wait(300, 301, stream=7, awaited=20)
    built.synchronize(SYNC, 400, 410, awaited=7)
    assert explained_ns(built) == [10_000, 0]


def test_streams_of_two_devices_that_bear_one_number_are_two() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 110), stream=7, device=0)
    built.launch(2, 3, runs=(120, 130), stream=20, device=0)
    built.stream_wait(10, 11, stream=7, awaited=20, device=1)
    built.synchronize(SYNC, 100, 200, awaited=7, device=0)
    assert explained_ns(built) == [10_000]


def test_a_copy_waits_for_its_own_device_whatever_was_launched_last() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 120), device=1)
    built.launch(2, 3, runs=(100, 150), device=0)
    built.copy("DtoH", "pageable", 100, 200, runs=(199, 200), device=1)
    assert explained_ns(built) == [21_000]


def test_a_synchronize_waits_for_the_device_that_its_sync_row_names() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 150), device=1)
    built.launch(2, 3, runs=(100, 120), device=0)
    built.synchronize(SYNC, 100, 200, awaited=7, device=1)
    assert explained_ns(built) == [50_000]


def test_without_one_it_waits_for_the_device_of_the_last_launch_on_any_thread() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(100, 150), device=1)
    built.launch(2, 3, runs=(100, 120), device=0, thread=SIDE)
    built.launch(300, 301, runs=(310, 320), device=1)
    built.synchronize(SYNC, 100, 200)
    assert explained_ns(built) == [20_000]


def test_without_device_rows_nothing_is_explained() -> None:
    built = TraceBuilder()
    built.synchronize(SYNC, 0, 100)
    facts = built.facts()
    assert (facts.awaited.device.tolist(), facts.awaited.explained_ns.tolist()) == ([-1], [0])
