"""Programs that were recorded before and after one change on a real GPU: what was said, and what was saved.

The folder `real_pairs` of the public traces says what each is and where it comes from. Recordings of one
program differ by up to 4 %, so that the edge of a bracket that lies so near to the truth is no failure.
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest
from public_report import PublicReport

from tbprof.cli.main import main
from tbprof.judge.words import verdict_sentences
from tbprof.model import Report, Saving
from tbprof.rules.launch.words import ItemLoop
from tbprof.views.comparison import compare_view

NOISE = 0.04

I_AFTER = "../sam_amg_a100/amg_ab0d4f75"


@dataclass(frozen=True, slots=True)
class Pair:
    before: str
    after: str
    truth_ms: float
    """What the window was shorter by; B' with the factor between its two hosts."""


LOOPS = {
    "A": Pair("A_before", "A_after", 1166.0),
    "B'": Pair("C_after", "B_after", 1270.0),
    "C": Pair("C_before", "C_after", 615.0),
}
BRACKETED = {"G": Pair("E_cleaned", "F1", 37.6)}
NOTHING = {
    "I": Pair("H_after_I_before", I_AFTER, 0.6),
    "E": Pair("B_after", "E_again", -18.3),
    "F": Pair("F1", "F5_H_before", 0.2),
}


@pytest.fixture
def pairs(traces: Path) -> Path:
    return traces / "real_pairs"


def report_of(name: str, pairs: Path, public_report: PublicReport) -> Report:
    return public_report((pairs / f"{name}.json.gz").resolve())


def loop_of(report: Report) -> tuple[ItemLoop, Saving]:
    (found,) = (finding for finding in report.findings if isinstance(finding.figures, ItemLoop))
    assert isinstance(found.figures, ItemLoop)
    assert found.saving is not None
    return found.figures, found.saving


@pytest.mark.parametrize("name", LOOPS)
def test_all_changes_together_hold_what_was_saved(
    name: str, pairs: Path, public_report: PublicReport
) -> None:
    pair = LOOPS[name]
    report = report_of(pair.before, pairs, public_report)
    assert report.savings is not None
    assert report.savings.all_ceiling_ns is not None
    assert report.savings.all_ceiling_ns / 1e6 >= pair.truth_ms - NOISE * report.window_ns / 1e6
    assert report.savings.all_ceiling_ns < report.window_ns


@pytest.mark.parametrize(
    ("name", "turns", "host_ms", "device_ms"),
    [
        ("A_before", 1331, 725.5, 44.2),
        ("C_before", 1339, 823.0, 43.7),
        ("C_after", 1334, 820.4, 56.2),
    ],
)
def test_the_loop_comes_first(
    name: str, turns: int, host_ms: float, device_ms: float, pairs: Path, public_report: PublicReport
) -> None:
    report = report_of(name, pairs, public_report)
    loop, saving = loop_of(report)
    assert loop.turns == turns
    assert loop.loop_per_step_ns / 1e6 == pytest.approx(host_ms, abs=0.1)
    assert loop.device_per_turn_ns * turns / 1e6 == pytest.approx(device_ms, abs=0.1)
    assert 600e6 <= saving.ceiling_ns <= loop.idle_per_step_ns + 1e3
    assert saving.ceiling_ns <= loop.loop_per_step_ns - loop.device_per_turn_ns * turns
    assert report.verdict is not None
    assert report.verdict.case == "item_loop"
    assert report.ranked is not None
    assert isinstance(report.findings[report.ranked.actions[0].findings[0]].figures, ItemLoop)
    said = " ".join(verdict_sentences(report.verdict))
    assert "are in a loop over items and go with it" in said
    assert "hardly any of them can simply go" not in said


@pytest.mark.parametrize("name", ["A_after", "B_after", "E_again", "F1", "H_after_I_before", "L_before"])
def test_no_loop_is_found_where_there_is_none(name: str, pairs: Path, public_report: PublicReport) -> None:
    report = report_of(name, pairs, public_report)
    assert not any(isinstance(finding.figures, ItemLoop) for finding in report.findings)


def test_the_bracket_of_the_waits_holds_what_one_batch_less_saved(
    pairs: Path, public_report: PublicReport
) -> None:
    report = report_of(BRACKETED["G"].before, pairs, public_report)
    savings, slack_ms = report.savings, NOISE * report.window_ns / 1e6
    assert savings is not None
    assert savings.floor_ns / 1e6 - slack_ms <= BRACKETED["G"].truth_ms <= savings.ceiling_ns / 1e6 + slack_ms


def test_two_blocking_uploads_promise_nothing_beyond_the_noise(
    pairs: Path, public_report: PublicReport
) -> None:
    """They were taken away, and the waits moved to what came next."""
    report = report_of(NOTHING["I"].before, pairs, public_report)
    promised = [
        max(finding.saving.floor_ns, finding.saving.estimate_ns or 0)
        for finding in report.findings
        if finding.saving is not None
        and finding.sites
        and all(report.sites[site].direction == "HtoD" for site in finding.sites)
    ]
    assert promised
    assert max(promised) <= NOISE * report.window_ns


def test_a_graph_promises_nothing_to_a_busy_gpu(pairs: Path, public_report: PublicReport) -> None:
    """L: `mode="reduce-overhead"` saved nothing."""
    report = report_of("L_before", pairs, public_report)
    assert report.verdict is not None
    assert report.verdict.case == "busy"
    assert report.savings is not None
    assert report.savings.ceiling_ns <= NOISE * report.window_ns
    assert not any(
        finding.rule.startswith("LCH") and finding.severity != "info" for finding in report.findings
    )


def test_more_workers_win_what_the_loader_may_cost(traces: Path, public_report: PublicReport) -> None:
    """K: a mean step of 174.8 and 153.0 ms became 139.7 and 142.8."""
    for path in sorted((traces / "kineto_resnet50_nw0").glob("*.gz")):
        report = public_report(path)
        (loader,) = (finding for finding in report.findings if finding.rule == "DAT01")
        assert loader.saving is not None
        assert 35.0 <= loader.saving.ceiling_ns / len(report.steps) / 1e6 <= 80.0


@pytest.mark.parametrize("pair", NOTHING.values(), ids=list(NOTHING))
def test_of_nothing_nothing_is_said(pair: Pair, pairs: Path, public_report: PublicReport) -> None:
    before, after = (report_of(name, pairs, public_report) for name in (pair.before, pair.after))
    view = compare_view(before, after)
    assert "no more than two recordings of one program differ by" in view.verdict
    assert view.detail == ""


def test_of_graphs_that_saved_nothing_no_difference_is_told(pairs: Path, public_report: PublicReport) -> None:
    before, after = (report_of(name, pairs, public_report) for name in ("L_before", "L_after"))
    assert compare_view(before, after).verdict.startswith("No difference in step time beyond the noise")


@pytest.mark.parametrize("name", ["A", "B'"])
def test_the_loop_that_went_is_named(name: str, pairs: Path, public_report: PublicReport) -> None:
    pair = LOOPS[name]
    before, after = (report_of(one, pairs, public_report) for one in (pair.before, pair.after))
    view = compare_view(before, after)
    assert "% shorter" in view.verdict.replace("\u202f", " ")
    assert view.detail.startswith("A loop over items is gone: 1,33")


def against(before: str, after: str, pairs: Path) -> str:
    printed = io.StringIO()
    paths = [str((pairs / f"{name}.json.gz").resolve()) for name in (after, before)]
    with redirect_stdout(printed):
        assert main(["report", "--no-cache", paths[0], "--against", paths[1]]) == 0
    return printed.getvalue().replace("\u202f", " ")


def test_what_made_it_slower_is_named_by_kernels(pairs: Path) -> None:
    """H: `return_logits=True`."""
    said = against("F5_H_before", "H_after_I_before", pairs)
    assert "470.9 ms before, 646.3 ms after, 37 % longer" in said
    assert "The GPU computes 78.4 ms longer" in said
    assert "CatArrayBatchedCopy<bool>: 0 ms before, 30.5 ms after (0 calls before, 15 after)" in said


def test_of_two_uploads_fewer_no_kernel_is_named(pairs: Path) -> None:
    assert "Kernels that" not in against("H_after_I_before", I_AFTER, pairs)
