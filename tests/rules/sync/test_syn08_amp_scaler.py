"""SYN08: the gradient scaler reads whether a gradient overflowed."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import read_scalar
from trace_builder import TraceBuilder

CODES = ("SYN01", "SYN02", "SYN05", "SYN07", "SYN08")
UNSCALE = "aten::_amp_foreach_non_finite_check_and_unscale_"


def unscale_and_read(built: TraceBuilder, at: float) -> None:
    built.op(UNSCALE, at - 50, at - 10)
    read_scalar(built, at, wait=100)


def test_a_read_after_unscaling_is_found_once() -> None:
    (finding,) = found(each_step(unscale_and_read), *CODES)
    assert (finding.rule, finding.removal, finding.count) == ("SYN08", "rewrite", 3)


@pytest.mark.parametrize(("pause", "rule"), [(2000, "SYN08"), (2001, "SYN01")])
def test_the_scaler_reads_within_2_ms(pause: float, rule: str) -> None:
    assert [finding.rule for finding in found(read_behind(pause), *CODES)] == [rule]


def test_a_frame_of_the_scaler_is_as_good() -> None:
    def read(built: TraceBuilder, at: float) -> None:
        built.frame("torch/amp/grad_scaler.py(348): _maybe_opt_step", at - 5, at + 110)
        read_scalar(built, at, wait=100)

    assert [finding.rule for finding in found(each_step(read), *CODES)] == ["SYN08"]


def test_other_reads_of_the_site_keep_their_own_finding() -> None:
    """Without stacks the flag and the loss are read by one site."""

    def read(built: TraceBuilder, at: float) -> None:
        unscale_and_read(built, at)
        read_scalar(built, at + 400, wait=50)

    counts = {finding.rule: finding.count for finding in found(each_step(read), *CODES)}
    assert counts == {"SYN08": 3, "SYN01": 6}


def test_unscaling_on_another_thread_is_none() -> None:
    def read(built: TraceBuilder, at: float) -> None:
        built.op(UNSCALE, at - 50, at - 10, thread=777)
        read_scalar(built, at, wait=100)

    assert [finding.rule for finding in found(each_step(read), *CODES)] == ["SYN01"]


def test_a_training_without_a_scaler_is_silent(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    assert [finding for finding in report.findings if finding.rule == "SYN08"] == []


def read_behind(pause: float) -> TraceBuilder:
    """One read so long behind the unscaling."""
    built = TraceBuilder()
    built.step(1, 0, 4000)
    built.launch(10, 15, runs=(20, 120))
    built.op(UNSCALE, 300, 400)
    read_scalar(built, 400 + pause, wait=100)
    built.launch(3800, 3805, runs=(3810, 3910))
    return built


CASES = (
    CheckCases(
        "SYN08",
        boundary="2 ms from the unscaling to the read",
        positive=lambda: each_step(unscale_and_read),
        negative=lambda: each_step(lambda built, at: read_scalar(built, at, wait=100)),
        least=lambda: read_behind(2000),
        below=lambda: read_behind(2001),
    ),
)
