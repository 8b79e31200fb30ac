"""SYN09: another thread's wait holds back the training's launches."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from scenes import SIDE, read_scalar
from trace_builder import TraceBuilder

COPY = ("aten::to", "aten::_to_copy", "aten::copy_")
CODES = ("SYN01", "SYN04", "SYN07", "SYN09")


def training(*, wait: float = 300, launch: float = 300) -> TraceBuilder:
    """In each step a checkpoint writer reads a tensor while one launch of the training takes long."""
    built = TraceBuilder()
    for number in range(3):
        start = 1000 * number
        built.step(number, start, start + 1000)
        for at in (10, 30, 50):
            built.launch(start + at, start + at + 5, runs=(start + at + 8, start + at + 20))
        read_scalar(built, start + 200, wait=wait, ops=COPY, size_bytes=4096, thread=SIDE, stream=20)
        built.launch(start + 200, start + 200 + launch, runs=(start + 600, start + 700))
    return built


def test_launches_during_another_threads_read_are_one_finding_of_its_site() -> None:
    (finding,) = found(training(), *CODES)
    assert (finding.rule, finding.removal, finding.sites, finding.count) == ("SYN09", "rewrite", (0,), 3)
    assert finding.numbers() == {"launches": 3, "lost_ns": 3 * 295_000}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 295_000


def test_launches_as_long_as_ever_leave_the_other_thread_alone() -> None:
    (finding,) = found(training(launch=5), *CODES)
    assert (finding.rule, finding.severity) == ("SYN04", "info")


@pytest.mark.parametrize(("wait", "rule"), [(237, "SYN09"), (236, "SYN04")])
def test_the_read_must_cover_the_launch(wait: float, rule: str) -> None:
    """Both its calls end 3 after the wait: 240 is four fifths of 300."""
    assert [finding.rule for finding in found(training(wait=wait), *CODES)] == [rule]


@pytest.mark.parametrize("rank", range(2))
def test_side_threads_that_hold_nothing_back_are_silent(
    traces: pathlib.Path, rank: int, public_report: PublicReport
) -> None:
    (path,) = (traces / "dlrm_v100_8rank").glob(f"worker{rank}_*")
    assert [finding for finding in public_report(path).findings if finding.rule == "SYN09"] == []


CASES = (
    CheckCases(
        "SYN09",
        boundary="the read covers four fifths of the launch",
        positive=lambda: training(),
        negative=lambda: training(launch=5),
        least=lambda: training(wait=237),
        below=lambda: training(wait=236),
    ),
)
