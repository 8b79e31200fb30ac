"""What the plan wins of each step."""

from __future__ import annotations

import pathlib

from public_report import PublicReport
from trace_builder import TraceBuilder

from tbprof.report import build_report

SAMPLES = pathlib.Path(__file__).parents[3] / "logs" / "samples"


def test_the_steps_share_what_the_window_wins(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    assert report.savings is not None
    assert report.savings.estimate_ns is not None
    savings = [step.saving for step in report.steps if step.saving is not None]
    assert len(savings) == len(report.steps)
    assert all(s.floor_ns <= (s.estimate_ns or 0) <= s.ceiling_ns for s in savings)
    won = sum(saving.estimate_ns or 0 for saving in savings)
    assert report.savings.estimate_ns - len(savings) <= won <= report.savings.estimate_ns
    for step, saving in zip(report.steps, savings, strict=True):
        assert saving.ceiling_ns <= min(step.duration_ns, report.savings.ceiling_ns)


def test_what_a_step_wins_may_fall_into_the_next() -> None:
    """The device works from a read's step into its end; then the host works, and the device is dry."""
    built = TraceBuilder()
    for number in (0, 2):
        start = 1000 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 5, runs=(start + 10, start + 990))
        built.synchronize("cudaStreamSynchronize", start + 10, start + 995)
        built.step(number + 1, start + 1000, start + 2000)
        built.launch(start + 1900, start + 1905, runs=(start + 1910, start + 2000))
    report = built.report()
    assert report.savings is not None
    assert report.savings.estimate_ns == 1_840_000
    savings = [step.saving for step in report.steps if step.saving is not None]
    # The first could be gone altogether; of the third counts what is left to fill behind its start.
    assert [saving.ceiling_ns for saving in savings] == [1_000_000, 0, 920_000, 0]
    assert [saving.estimate_ns for saving in savings] == [920_000, 0, 920_000, 0]


def test_without_an_estimate_of_the_window_no_step_has_one() -> None:
    report = build_report(SAMPLES / "h100_transformer_clean" / "dc3b_3169006.pt.trace.json.gz")
    assert [step.saving.estimate_ns for step in report.steps if step.saving] == [None] * 3


def test_a_trace_without_a_device_has_no_saving_a_step(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "hta_degenerate" / "cpu_only.json.gz")
    assert [step.saving for step in report.steps] == [None] * len(report.steps)
