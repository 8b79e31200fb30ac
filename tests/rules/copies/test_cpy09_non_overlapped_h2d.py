"""CPY09: a batch is copied while the GPU has nothing else to do."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from trace_builder import TraceBuilder

LARGE = 19_267_584
COMPUTING = 7
SIDE_STREAM = 20


def batches(length: float = 200, *, memory: str = "pinned", stream: int = COMPUTING) -> TraceBuilder:
    """In each step of 1000 us a copy that runs for `length` between the kernels and blocks nobody."""

    def copy(built: TraceBuilder, at: float) -> None:
        runs = (at + 10, at + 10 + length)
        built.copy("HtoD", memory, at, at + 5, runs=runs, size_bytes=LARGE, stream=stream)

    return each_step(copy)


def test_a_copy_on_the_computing_stream_that_nothing_hides_is_found() -> None:
    (finding,) = found(batches(), "CPY09")

    assert (finding.removal, finding.severity, finding.confidence) == ("rewrite", "critical", "medium")
    assert (finding.sites, finding.count, finding.steps) == ((0,), 3, (0, 1, 2))
    assert finding.numbers() == {"bytes": 3 * LARGE, "device_ns": 600_000, "exposed_ns": 600_000}
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 600_000)


def test_its_evidence_is_the_copy_on_the_device() -> None:
    built = batches()
    (finding,) = found(built, "CPY09")
    trace = built.trace()
    assert {item.duration_ns for item in finding.evidence} == {200_000}
    assert trace.names[trace.slices.name[finding.evidence[0].row]].startswith("Memcpy HtoD")


@pytest.mark.parametrize(("length", "count"), [(9.999, 0), (10, 1)])
def test_from_1_percent_of_the_steps_on_it_matters(length: float, count: int) -> None:
    assert len(found(batches(length), "CPY09")) == count


def test_what_kernels_of_another_stream_hide_is_not_exposed() -> None:
    built = batches()
    for number in range(3):
        start = 1000.0 * number
        built.launch(start + 190, start + 195, runs=(start + 200, start + 405), stream=SIDE_STREAM)
    assert found(built, "CPY09") == []


def test_a_device_that_never_runs_dry_can_be_won_as_well() -> None:
    built = TraceBuilder()
    for number in range(3):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.copy("HtoD", "pinned", start, start, runs=(start, start + 300), size_bytes=LARGE)
        built.launch(start, start, runs=(start + 300, start + 1000))
    (finding,) = found(built, "CPY09")
    assert finding.severity == "critical"


def test_on_a_stream_of_its_own_it_is_silent() -> None:
    assert found(batches(stream=SIDE_STREAM), "CPY09") == []


def test_from_pageable_memory_it_is_another_matter() -> None:
    assert found(batches(memory="pageable"), "CPY09") == []


def test_a_training_that_prefetches_on_a_stream_of_its_own_is_silent(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    assert sum(copy.bytes for copy in report.copies if copy.memory == "pinned") > 400e6
    assert [finding for finding in report.findings if finding.rule == "CPY09"] == []


CASES = (
    CheckCases(
        "CPY09",
        boundary="1 % of the steps",
        positive=lambda: batches(),
        negative=lambda: batches(stream=SIDE_STREAM),
        least=lambda: batches(10),
        below=lambda: batches(9.999),
    ),
)
