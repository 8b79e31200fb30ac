"""What a trace lacks that the figures rest on."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.rules.trace_health.trc03_trace_health import find_trace_gaps
from tbprof.trace.columns.arrays import Int64s


def test_rows_without_a_launch_and_rows_before_it_are_told_apart() -> None:
    built = TraceBuilder()
    built.launch(100, 101, runs=(120, 130))
    built.launch(200, 201, runs=(189, 195))
    built.kernel(300, 310, correlation=77_777)
    facts = built.facts()
    gaps = find_trace_gaps(facts)

    def starts(rows: Int64s) -> list[int]:
        us: list[int] = ((facts.trace.slices.start_ns[rows] - facts.origin_ns) // 1000).tolist()
        return us

    assert (starts(gaps.without_launch), starts(gaps.before_launch)) == ([200], [89])
    assert (gaps.device_rows, gaps.is_damaged) == (3, False)


def test_one_wait_that_names_its_stream_shows_that_they_are_recorded() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    built.call("cudaStreamWaitEvent", 10, 11)
    assert len(find_trace_gaps(built.facts()).unnamed_waits) == 1
    built.stream_wait(20, 21, stream=7, awaited=20)
    assert len(find_trace_gaps(built.facts()).unnamed_waits) == 0
