"""Which device work ran on a stream that also runs kernels."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.rules.copies.cpy09_non_overlapped_h2d import on_computing_streams


def test_a_copy_on_the_stream_of_a_kernel_and_one_on_its_own() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 20), stream=7)
    built.copy("HtoD", "pinned", 2, 3, runs=(20, 30), stream=7)
    built.copy("HtoD", "pinned", 4, 5, runs=(40, 50), stream=20)
    facts = built.facts()
    assert on_computing_streams(facts.work).tolist() == [True, True, False]


def test_streams_of_two_devices_may_bear_one_number() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(10, 20), stream=7, device=0)
    built.copy("HtoD", "pinned", 2, 3, runs=(20, 30), stream=7, device=1)
    facts = built.facts()
    assert on_computing_streams(facts.work).tolist() == [True, False]


def test_a_trace_without_device_rows_has_none() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    facts = built.facts()
    assert on_computing_streams(facts.work).tolist() == []
