"""One odd event costs at most itself, and says nothing that its file does not say."""

from __future__ import annotations

from pathlib import Path

import pytest
from odd_events import COSTS_ITSELF, READ_AS, odd, with_odd_event
from trace_samples import a_step, classic, dumped, health_numbers, rows_of, write

from tbprof.errors import NotATrace
from tbprof.trace.importers.kineto.reader import read_trace


@pytest.mark.parametrize("case", READ_AS)
def test_an_odd_event_is_read_as_what_it_means(tmp_path: Path, case: str) -> None:
    event, expected = READ_AS[case]

    trace = read_trace(write(tmp_path, with_odd_event(event)))

    assert rows_of(trace)[3] == expected
    assert trace.num_events == len(a_step()) + 1
    assert "events_dropped" not in health_numbers(trace)


@pytest.mark.parametrize("case", COSTS_ITSELF)
def test_an_event_that_says_nothing_costs_itself(tmp_path: Path, case: str) -> None:
    event, reason = COSTS_ITSELF[case]

    trace = read_trace(write(tmp_path, with_odd_event(event)))

    clean = read_trace(write(tmp_path, classic(a_step()), "clean.json"))
    assert rows_of(trace) == rows_of(clean)
    assert health_numbers(trace)["events_dropped"] == {"dropped": 1, reason: 1}


def test_other_phases_are_counted_and_not_kept(tmp_path: Path) -> None:
    trace = read_trace(write(tmp_path, with_odd_event(odd(ph="zz"))))

    assert trace.num_events == len(a_step()) + 1
    assert rows_of(trace) == rows_of(read_trace(write(tmp_path, classic(a_step()), "clean.json")))


@pytest.mark.parametrize(
    "content",
    [
        b"null",
        b"12",
        b'"traceEvents"',
        b"{}",
        b"[]",
        b"[1, 2]",
        b'{"traceEvents": null}',
        b'{"traceEvents": {"a": 1}}',
        b'{"traceEvents": []}',
        classic(a_step()).decode().encode("utf-16"),
        b"\x1f\x8b and no gzip at all",
    ],
)
def test_json_without_events_is_no_trace(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(NotATrace, match=r"w\.pt\.trace\.json .*\.$"):
        read_trace(write(tmp_path, content))


def test_events_survive_the_loss_of_their_key(tmp_path: Path) -> None:
    content = classic(a_step()).replace(b'"traceEvents": [', b'"traceEv')

    trace = read_trace(write(tmp_path, content))

    assert trace.num_events == len(a_step())
    assert trace.rank == 3
    assert "metadata_damaged" in health_numbers(trace)


def test_a_lost_comma_costs_nothing(tmp_path: Path) -> None:
    content = classic(a_step()).replace(b"  },\n  {", b"  }\n  {")

    trace = read_trace(write(tmp_path, content))

    assert trace.num_events == len(a_step())
    assert "events_dropped" not in health_numbers(trace)


def test_an_end_in_the_middle_does_not_end_the_file(tmp_path: Path) -> None:
    content = classic(a_step()).replace(b"  },\n  {", b'  }\n  ],\n  "traceName": "w",\n  {', 1)

    trace = read_trace(write(tmp_path, content))

    assert trace.num_events == len(a_step())


def test_line_ends_of_windows(tmp_path: Path) -> None:
    trace = read_trace(write(tmp_path, dumped(a_step(), indent=2).replace(b"\n", b"\r\n")))

    assert trace.num_events == len(a_step())
    assert trace.health == ()
