"""CPY07: many small copies go to the device one by one."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS


def uploads(
    count: int = 8,
    *,
    size_bytes: int = 400,
    direction: str = "HtoD",
    memory: str = "pageable",
    blocks: bool = True,
    thread: int = MAIN,
) -> TraceBuilder:
    """That many copies in each step, 10 in the copy call and 5 in the synchronize after it."""

    def copy_all(built: TraceBuilder, at: float) -> None:
        for index in range(count):
            start = at + 20 * index
            built.op("aten::copy_", start, start + 17, thread=thread)
            runs = (start + 1, start + 9)
            built.copy(direction, memory, start, start + 10, runs=runs, size_bytes=size_bytes, thread=thread)
            if blocks:
                built.synchronize("cudaStreamSynchronize", start + 11, start + 16, thread=thread)

    return each_step(copy_all)


def test_eight_small_uploads_in_each_step_are_found() -> None:
    (finding,) = found(uploads(), "CPY07")

    assert (finding.removal, finding.count, finding.steps) == ("drop", 24, (0, 1, 2))
    assert finding.numbers() == {"copies_per_step": 8.0, "median_bytes": 400, "bytes": 24 * 400}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 24 * (17_000 + LINE_NS)


@pytest.mark.parametrize(("count", "findings"), [(7, 0), (8, 1)])
def test_seven_are_not_many(count: int, findings: int) -> None:
    assert len(found(uploads(count), "CPY07")) == findings


@pytest.mark.parametrize(("size_bytes", "findings"), [(65_535, 1), (65_536, 0)])
def test_64_kb_are_not_small(size_bytes: int, findings: int) -> None:
    assert len(found(uploads(size_bytes=size_bytes), "CPY07")) == findings


def test_they_are_counted_over_the_sites_of_one_function() -> None:
    """Four with a synchronize and four without are two sites, and one loop."""

    def copy_all(built: TraceBuilder, at: float) -> None:
        built.frame("data.py(7): move", at, at + 200)
        for index in range(8):
            start = at + 20 * index
            built.op("aten::copy_", start, start + 17)
            built.copy("HtoD", "pageable", start, start + 10, runs=(start + 1, start + 9))
            if index % 2:
                built.synchronize("cudaStreamSynchronize", start + 11, start + 16)

    (finding,) = found(each_step(copy_all), "CPY07")
    assert (len(finding.sites), finding.count, finding.confidence) == (2, 24, "high")


def test_many_in_one_step_alone_are_silent() -> None:
    def copy_once(built: TraceBuilder, at: float) -> None:
        if at == 200:
            for index in range(20):
                built.copy("HtoD", "pageable", at + 20 * index, at + 20 * index + 5, runs=None)
                built.copy("HtoD", "pageable", at + 20 * index + 6, at + 20 * index + 8, runs=(at, at + 1))

    assert found(each_step(copy_once), "CPY07") == []


def test_reads_that_block_are_sync_points_and_others_are_not() -> None:
    assert found(uploads(direction="DtoH"), "CPY07") == []
    (finding,) = found(uploads(direction="DtoH", memory="pinned", blocks=False), "CPY07")
    assert (finding.count, finding.severity) == (24, "info")


def test_another_thread_is_silent() -> None:
    assert found(uploads(thread=SIDE), "CPY07") == []


def test_an_image_processor_that_uploads_twenty_scalars_is_found(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    (finding,) = [finding for finding in report.findings if finding.rule == "CPY07"]
    assert (finding.numbers()["copies_per_step"], finding.numbers()["median_bytes"]) == (20.0, 40)


CASES = (
    CheckCases(
        "CPY07",
        boundary="eight copies a step",
        positive=lambda: uploads(20),
        negative=lambda: uploads(20, size_bytes=100_000),
        least=lambda: uploads(8),
        below=lambda: uploads(7),
    ),
)
