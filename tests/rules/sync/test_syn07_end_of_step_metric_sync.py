"""SYN07: the loss or a metric is read at the end of each step."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.model import Scope

CODES = ("SYN01", "SYN02", "SYN05", "SYN07")
READ = ("aten::item", "aten::_local_scalar_dense")


def reads(busy: float, *ops: str) -> TraceBuilder:
    """A read a step that waits 100, of which the device works `busy`."""

    def read(built: TraceBuilder, at: float) -> None:
        built.launch(at - 20, at - 15, runs=(at - 10, at + busy - 2))
        read_scalar(built, at, wait=98, ops=(*ops, *READ))

    return each_step(read)


def test_one_read_that_drains_the_queue_is_found_once() -> None:
    (finding,) = found(host_bound(steps=4), *CODES)
    assert (finding.rule, finding.removal, finding.count) == ("SYN07", "defer", 4)
    assert finding.numbers() == {"starve_ns": 4 * 160_000}


@pytest.mark.parametrize(("busy", "rule"), [(80, "SYN07"), (79, "SYN01")])
def test_four_fifths_of_the_wait_must_be_explained(busy: float, rule: str) -> None:
    assert [finding.rule for finding in found(reads(busy), *CODES)] == [rule]


def test_a_question_of_truth_is_left_to_syn02() -> None:
    assert [finding.rule for finding in found(reads(90, "aten::is_nonzero"), *CODES)] == ["SYN02"]


def test_a_read_with_another_wait_after_it_in_any_step_is_silent() -> None:
    built = host_bound(steps=4)
    built.op("aten::is_nonzero", 2799, 2900)
    read_scalar(built, 2800, wait=50)
    assert {finding.rule for finding in found(built, *CODES)} == {"SYN01", "SYN02"}


def test_a_wait_of_a_side_thread_after_it_does_not_matter() -> None:
    built = host_bound(steps=4)
    built.synchronize("cudaStreamSynchronize", 2800, 2850, thread=777)
    assert [finding.rule for finding in found(built, *CODES)] == ["SYN07"]


def test_two_in_one_step_are_not_the_end_of_it() -> None:
    built = host_bound(steps=4)
    read_scalar(built, 1720, wait=50)
    assert [finding.rule for finding in found(built, *CODES)] == ["SYN01"]


def test_while_it_only_paces_the_host_it_is_info() -> None:
    """The device has its next work queued all the time, on another stream."""
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 1, runs=(start + 3, start + 1000))
        read_scalar(built, start + 700, wait=200, stream=20)
    (finding,) = found(built, *CODES)
    assert (finding.rule, finding.severity) == ("SYN07", "info")


def test_a_device_that_works_to_the_end_of_the_step_makes_it_info(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """The reads of this training are three a step, so no one of them ends it."""
    report = public_report(traces / "hta_trace_diff" / "test.json.gz")
    assert [finding for finding in report.findings if finding.rule == "SYN07"] == []


CASES = (
    CheckCases(
        "SYN07",
        boundary="four fifths of the wait are explained",
        positive=lambda: host_bound(steps=4),
        negative=lambda: reads(90, "aten::is_nonzero"),
        least=lambda: reads(80),
        below=lambda: reads(79),
    ),
)


@pytest.mark.parametrize(("pause_us", "is_moved"), [(0, True), (4_000, False)])
def test_a_host_that_would_run_into_the_full_queue_is_told_so(pause_us: float, *, is_moved: bool) -> None:
    """1,200 launches of 4 us a step, for kernels of 10 us: without the read the host is far ahead.

    Where it does other work for 4 ms after the read, the queue holds enough for that: the read costs them.
    """
    built = TraceBuilder()
    step_us = 12_100.0 + pause_us
    for number in range(4):
        start = step_us * number
        built.step(number, start, start + step_us)
        for at in range(1_200):
            # From the 1,025th on, a launch returns when the oldest one has started.
            host = start + (4 * at if at < 1_024 else max(4 * at, 10 * (at - 1_024) + 15))
            built.launch(host, host + 3, runs=(start + 10 + 10 * at, start + 20 + 10 * at))
        for op in READ:
            built.op(op, start + 5_000, start + 12_030)
        built.copy("DtoH", "pageable", start + 5_001, start + 12_025, runs=(start + 12_010, start + 12_012))
    (finding,) = found(built, *CODES)
    note = finding.figures.sentence(Scope(each="a step", name="a step"))
    assert finding.rule == "SYN07"
    assert note.startswith("Without it the host runs ahead until CUDA's queue of 1,024 launches is full")
    assert note.endswith("the wait moves there, and hardly anything is won.") == is_moved
    assert finding.saving is not None
    assert finding.saving.estimate_ns is not None
    if is_moved:
        # The device computes for 12.0 of 12.1 ms: all that can be won is what lies between two steps.
        assert finding.saving.estimate_ns <= 4 * 100_000
    else:
        assert finding.saving.estimate_ns >= 3 * 3_000_000
