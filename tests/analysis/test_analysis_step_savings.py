"""What the plan wins of each step."""

from __future__ import annotations

import pathlib

from tbprof.report import build_report

SAMPLES = pathlib.Path(__file__).parents[2] / "logs" / "samples"


def test_the_steps_share_what_the_window_wins(traces: pathlib.Path) -> None:
    report = build_report(traces / "hta_trace_diff" / "control.json.gz")
    assert report.savings is not None
    assert report.savings.estimate_ns is not None
    savings = [step.saving for step in report.steps if step.saving is not None]
    assert len(savings) == len(report.steps)
    assert all(s.floor_ns <= (s.estimate_ns or 0) <= s.ceiling_ns for s in savings)
    # Each step's part is cut to its own ceiling, so that they may add up to less.
    won = sum(saving.estimate_ns or 0 for saving in savings)
    assert 0.8 * report.savings.estimate_ns <= won <= report.savings.estimate_ns
    for step, saving in zip(report.steps, savings, strict=True):
        assert saving.ceiling_ns <= min(step.wait_ns, step.idle_empty_ns or 0)


def test_without_an_estimate_of_the_window_no_step_has_one() -> None:
    report = build_report(SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz")
    assert [step.saving.estimate_ns for step in report.steps if step.saving] == [None] * 3


def test_a_trace_without_a_device_has_no_saving_a_step(traces: pathlib.Path) -> None:
    report = build_report(traces / "hta_degenerate" / "cpu_only.json.gz")
    assert [step.saving for step in report.steps] == [None] * len(report.steps)
