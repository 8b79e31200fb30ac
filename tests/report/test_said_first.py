"""The first sentence of a report: right on the public traces, and without contradictions on all."""

from __future__ import annotations

import json
import pathlib

import pytest
from first_sentences import problems_of
from public_report import PublicReport

from tbprof.judge.actions import rank
from tbprof.judge.words import verdict_sentences
from tbprof.model import Report

EXPERT = json.loads((pathlib.Path(__file__).parents[1] / "data" / "expert.json").read_text(encoding="utf-8"))
"""By trace: what an expert says first, the figures that prove it, and what tbprof must say."""


@pytest.fixture(scope="module")
def reports(traces: pathlib.Path, public_report: PublicReport) -> dict[str, Report]:
    found = sorted(traces.glob("*/*.json.gz"))
    files = [path for path in found if path.parent.name not in ("malformed", "straggler_what_if")]
    return {path.relative_to(traces).as_posix(): public_report(path) for path in files}


def test_no_first_sentence_contradicts_what_stands_beside_it(reports: dict[str, Report]) -> None:
    assert {name: problems for name, report in reports.items() if (problems := problems_of(report))} == {}


@pytest.mark.parametrize("name", EXPERT)
def test_the_first_sentence_is_the_experts(reports: dict[str, Report], name: str) -> None:
    report, expected = reports[name], EXPERT[name]
    assert report.verdict is not None
    said = " ".join(verdict_sentences(report.verdict)).replace("\u202f", " ")
    assert report.verdict.case == expected["case"], said
    for words in expected["says"]:
        assert words in said
    for words in expected["never"]:
        assert words not in said


@pytest.mark.parametrize("name", [name for name, told in EXPERT.items() if "first_action" in told])
def test_the_first_action_is_what_an_expert_would_do_about_it(reports: dict[str, Report], name: str) -> None:
    report = reports[name]
    (first, *_) = rank(report).actions
    assert report.findings[first.findings[0]].rule == EXPERT[name]["first_action"]


@pytest.mark.parametrize("name", EXPERT)
def test_the_figures_that_prove_it_are_in_the_report(reports: dict[str, Report], name: str) -> None:
    """Within 2 %, or half of the last digit that the expert gave."""
    report = reports[name]
    for figure, (value, tolerance) in EXPERT[name]["figures_ms"].items():
        assert abs(_figure_ms(report, figure) - value) <= tolerance, (figure, _figure_ms(report, figure))


def _figure_ms(report: Report, figure: str) -> float:
    assert report.idle is not None
    if figure.startswith("idle:"):
        return report.idle.total.by_cause.get(figure.partition(":")[2], 0) / 1e6
    if figure == "communication":
        return sum(step.communication_exposed_ns or 0 for step in report.steps) / 1e6
    if figure == "gain":
        assert report.verdict is not None
        return float(report.verdict.numbers()["gain_us"]) / 1e3
    assert figure == "steps"
    return sum(step.length_ns for step in report.steps) / 1e6
