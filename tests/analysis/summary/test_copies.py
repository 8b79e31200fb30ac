"""`copies` counts the copy calls that have a device row, by direction and memory."""

from __future__ import annotations

from trace_builder import TraceBuilder


def test_calls_are_added_by_kind_most_bytes_first() -> None:
    built = TraceBuilder()
    built.copy("DtoH", "pageable", 10, 20, runs=(12, 18), size_bytes=4)
    built.copy("HtoD", "pinned", 30, 40, runs=(32, 38), size_bytes=1000)
    built.copy("HtoD", "pinned", 50, 60, runs=(52, 58), size_bytes=500)
    built.synchronize("cudaStreamSynchronize", 70, 80)

    uploads, read = built.report().copies
    assert (uploads.direction, uploads.memory) == ("HtoD", "pinned")
    assert (uploads.count, uploads.bytes, uploads.blocking) == (2, 1500, 1)
    assert (read.direction, read.memory) == ("DtoH", "pageable")
    assert (read.count, read.bytes, read.blocking) == (1, 4, 1)


def test_copies_of_a_graph_are_no_copies_but_a_number_in_health() -> None:
    built = TraceBuilder()
    built.graph_launch(10, 20, runs=[(30, 40)])
    graph = built.events[0]["args"]["correlation"]
    built.copy("HtoD", "pinned", 50, 60, runs=(62, 68))
    built.events[-3]["args"]["correlation"] = graph
    report = built.report()

    assert report.copies == ()
    assert {fact.code: dict(fact.numbers) for fact in report.trace.health}["copies_without_call"] == {
        "copies": 1
    }


def test_copies_launched_before_the_window_are_no_copies_but_a_number_in_health() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pinned", 50, 60, runs=(62, 68))
    built.events.pop(0)
    report = built.report()

    assert (report.copies, report.sites) == ((), ())
    assert {fact.code: dict(fact.numbers) for fact in report.trace.health}["copies_without_call"] == {
        "copies": 1
    }


def test_a_second_row_of_the_same_call_is_no_second_copy() -> None:
    built = TraceBuilder()
    built.copy("HtoD", "pinned", 10, 20, runs=(12, 18), size_bytes=100)
    again = next(event for event in built.events if event.get("cat") == "gpu_memcpy")
    built.events.append({**again, "ts": again["ts"] + 10})

    [kind] = built.report().copies
    assert (kind.count, kind.bytes, kind.device_ns) == (1, 100, 6_000)


def test_a_window_without_copies_has_no_rows() -> None:
    built = TraceBuilder()
    built.launch(0, 1, runs=(2, 3))
    assert built.report().copies == ()
