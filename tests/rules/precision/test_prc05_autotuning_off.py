"""PRC05: convolutions are not tuned for their shapes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from check_cases import CheckCases, beside
from hook_scenes import hook_facts, report_with
from shape_scenes import typed_op
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.model import Finding


def convolving(widths: Sequence[int], *, kernel_us: float = 500) -> TraceBuilder:
    """A convolution a step, whose image is as wide as given."""
    built = TraceBuilder()
    for number, width in enumerate(widths):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        shape = [8, 3, width, width]
        typed_op(built, "aten::cudnn_convolution", start + 5, start + 30, dims=[shape, [64, 3, 7, 7]])
        built.launch(start + 10, start + 15, runs=(start + 20, start + 20 + kernel_us))
    return built


def of_rule(built: TraceBuilder, benchmark: str) -> list[Finding]:
    report = report_with(hook_facts(settings={"cudnn.benchmark": benchmark}), built)
    assert report.failed_rules == ()
    return [finding for finding in report.findings if finding.rule == "PRC05"]


def test_steady_shapes_without_tuning_are_found_and_no_saving_is_given() -> None:
    (finding,) = of_rule(convolving([224, 224, 224]), "False")
    assert (finding.saving, finding.severity, finding.count) == (None, "low", 3)


@pytest.mark.parametrize(
    ("widths", "benchmark", "kernel_us"),
    [([224, 224], "True", 500), ([224, 256], "False", 500), ([224], "False", 500), ([224, 224], "False", 49)],
)
def test_tuned_changing_and_short_ones_are_left_alone(
    widths: list[int], benchmark: str, kernel_us: float
) -> None:
    assert of_rule(convolving(widths, kernel_us=kernel_us), benchmark) == []


def test_five_percent_of_the_steps_is_the_boundary() -> None:
    assert len(of_rule(convolving([224, 224], kernel_us=50), "False")) == 1


def steady(kernel_us: float, *, benchmark: str = "False") -> Facts:
    known = hook_facts(settings={"cudnn.benchmark": benchmark})
    return beside(known, convolving([224, 224], kernel_us=kernel_us))


CASES = (
    CheckCases(
        "PRC05",
        boundary="5 % of the steps",
        positive=lambda: steady(500),
        negative=lambda: steady(500, benchmark="True"),
        least=lambda: steady(50),
        below=lambda: steady(49),
    ),
)
