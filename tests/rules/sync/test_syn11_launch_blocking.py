"""SYN11: every launch waits for its kernel."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from scenes import read_scalar
from trace_builder import TraceBuilder


def training(blocking: int, others: int = 0) -> TraceBuilder:
    """So many launches that wait for their kernels, then others that don't, and a read."""
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    for number in range(blocking + others):
        start = 100 * number
        end = start + 60 if number < blocking else start + 5
        built.launch(start, end, runs=(start + 8, start + 58))
    read_scalar(built, 9000, wait=100)
    return built


def rules(built: TraceBuilder) -> set[str]:
    return {finding.rule for finding in built.report().findings if finding.rule.startswith("SYN")}


def test_blocking_launches_are_one_finding_and_the_only_one_of_syncs() -> None:
    built = training(60)
    (finding,) = found(built, "SYN11")
    assert (finding.count, finding.removal, finding.numbers()) == (60, "drop", {"share": 1.0})
    assert finding.saving is not None
    assert 0 < finding.saving.ceiling_ns <= 60 * 60_000
    assert finding.saving.estimate_ns is None
    assert rules(built) == {"SYN11"}
    assert built.report().fix_plan == ()


@pytest.mark.parametrize(("blocking", "count"), [(54, 1), (53, 0)])
def test_nine_of_ten_must_wait(blocking: int, count: int) -> None:
    assert len(found(training(blocking, 60 - blocking), "SYN11")) == count


@pytest.mark.parametrize(("blocking", "count"), [(50, 1), (49, 0)])
def test_fewer_than_50_say_nothing(blocking: int, count: int) -> None:
    assert len(found(training(blocking), "SYN11")) == count


@pytest.mark.parametrize(("early", "count"), [(10, 1), (10.1, 0), (30_000, 0)])
def test_kernels_recorded_before_their_launch_show_the_clocks_and_no_wait(early: float, count: int) -> None:
    """They lie before the end of the call whether it waited for them or not."""
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    for number in range(60):
        start = 100.0 * number + 100
        built.launch(start, start + 60, runs=(start - early, start - early + 50))
    assert len(found(built, "SYN11")) == count


def test_launches_that_return_at_once_are_silent() -> None:
    built = training(0, 60)
    assert found(built, "SYN11") == []
    assert rules(built)


def test_short_kernels_of_a_real_training_do_not_look_like_it(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    """7 % of the launches of this one return after their kernels."""
    path = traces / "kineto_resnet50_nw4" / "worker0.1623213129365.pt.trace.json.gz"
    assert [finding for finding in public_report(path).findings if finding.rule == "SYN11"] == []


CASES = (
    CheckCases(
        "SYN11",
        boundary="nine of ten launches wait",
        positive=lambda: training(60),
        negative=lambda: training(0, 60),
        least=lambda: training(54, 6),
        below=lambda: training(53, 7),
    ),
)
