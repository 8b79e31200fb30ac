"""Copies to the host whose bytes go back to the device in the same step."""

from __future__ import annotations

from scenes import SIDE, upload
from trace_builder import MAIN, TraceBuilder

from tbprof.rules.copies.cpy08_ping_pong import find_round_trips

LARGE = 100_000


def leave(built: TraceBuilder, at: float, *, size_bytes: int = LARGE, thread: int = MAIN) -> None:
    built.copy("DtoH", "pageable", at, at + 10, runs=(at + 1, at + 9), size_bytes=size_bytes, thread=thread)


def test_a_trip_is_a_read_and_the_first_upload_of_its_size_after_it() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    leave(built, 100)
    upload(built, 200, wait=20, size_bytes=LARGE + 1)
    upload(built, 300, wait=20, size_bytes=LARGE)
    upload(built, 400, wait=20, size_bytes=LARGE)
    facts = built.facts()
    (trip,) = find_round_trips(facts)
    starts = sorted(((facts.episodes.start_ns[trip.episodes] - facts.origin_ns) // 1000).tolist())
    assert (starts, trip.steps) == ([100, 300], 1)
    assert facts.sites[trip.leaves].direction == "DtoH"
    assert facts.sites[trip.returns].direction == "HtoD"


def test_a_trip_does_not_cross_the_end_of_a_step() -> None:
    built = TraceBuilder()
    built.step(1, 0, 200)
    built.step(2, 200, 1000)
    leave(built, 100)
    upload(built, 300, wait=20, size_bytes=LARGE)
    assert find_round_trips(built.facts()) == []


def test_what_a_writer_of_checkpoints_reads_does_not_come_back() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    leave(built, 100, thread=SIDE)
    upload(built, 300, wait=20, size_bytes=LARGE)
    assert find_round_trips(built.facts()) == []
