"""SHR: a device that is not this program's alone, or not at its full clocks."""

from __future__ import annotations

import pytest
from check_cases import CheckCases, beside
from hook_scenes import hook_facts, report_with
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.model import Finding, Report


def growing(*lengths_us: float) -> TraceBuilder:
    """Of each step, how long the same kernel takes in it."""
    built = TraceBuilder()
    for number, length in enumerate(lengths_us):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.launch(start + 5, start + 8, runs=(start + 10, start + 10 + length))
    return built


@pytest.mark.parametrize(("later", "codes"), [(438, []), (440, ["SHR02"])])
def test_a_tenth_longer_than_their_equals_before(later: float, codes: list[str]) -> None:
    assert [finding.rule for finding in found(growing(400, 400, later, later), "SHR02")] == codes


def test_kernels_that_are_too_short_to_compare_say_nothing() -> None:
    built = growing(10, 10, 19, 19)
    assert found(built, "SHR02") == []
    (check,) = (check for check in built.report().checks if check.rule == "SHR02")
    assert check.state == "not_applicable"


def test_even_clocks_pass_with_what_was_compared() -> None:
    (check,) = (check for check in growing(400, 400, 404, 404).report().checks if check.rule == "SHR02")
    assert (check.state, check.numbers()["kernels"]) == ("passed", 2)
    assert check.numbers()["slower"] == pytest.approx(0.01)


def shared_with(others: int | None) -> Report:
    return report_with(hook_facts(other_gpu_processes=others), growing(400))


def of_sharing(report: Report) -> list[Finding]:
    return [finding for finding in report.findings if finding.rule == "SHR01"]


def test_other_processes_are_named_without_a_saving() -> None:
    (finding,) = of_sharing(shared_with(2))
    assert (finding.count, finding.saving, finding.severity) == (2, None, "low")
    assert of_sharing(shared_with(0)) == []
    needs = {(row.rule, row.needs) for row in shared_with(None).not_checked}
    assert ("SHR01", "other processes of the device") in needs


def others(count: int) -> Facts:
    return beside(hook_facts(other_gpu_processes=count), growing(400))


CASES = (
    CheckCases(
        "SHR01",
        boundary="no threshold: a single process",
        positive=lambda: others(8),
        negative=lambda: others(0),
        least=lambda: others(1),
        below=lambda: others(0),
    ),
    CheckCases(
        "SHR02",
        boundary="a tenth longer",
        positive=lambda: growing(400, 400, 800, 800),
        negative=lambda: growing(400, 400, 404, 404),
        least=lambda: growing(400, 400, 440, 440),
        below=lambda: growing(400, 400, 439, 439),
    ),
)
