"""LCH03: the kernels of compiled code are too short for the host to keep up."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from launch_scenes import hand_written_loss
from rule_scenes import each_step, found
from trace_builder import TraceBuilder

from tbprof.report import build_report


@pytest.mark.parametrize(
    "region", ["Torch-Compiled Region: 0/0", "## Call CompiledFxGraph f2x ##", "CompiledFunction"]
)
def test_what_a_compiled_region_launches_is_compiled_already(region: str) -> None:
    built = hand_written_loss()
    for number in range(3):
        built.op(region, 1000 * number + 150, 1000 * number + 335)
    (finding,) = found(built, "LCH01", "LCH03")
    assert (finding.rule, finding.severity) == ("LCH03", "critical")
    assert finding.numbers()["kernels_per_step"] == 9.0


@pytest.mark.parametrize(("inside", "rule"), [(4, "LCH01"), (5, "LCH03")])
def test_most_of_its_kernels_decide(inside: int, rule: str) -> None:
    built = hand_written_loss(steps=1)
    built.op("Torch-Compiled Region: 0/0", 152, 155 + 20 * inside - 1)
    (finding,) = found(built, "LCH01", "LCH03")
    assert finding.rule == rule


def test_code_whose_kernels_graphs_launch_is_not_told_to_record_one() -> None:
    built = hand_written_loss()
    for start in (0, 1000, 2000):
        built.op("Torch-Compiled Region: 0/0", start + 150, start + 345)
        built.graph_launch(
            start + 325, start + 340, runs=[(start + 700 + at, start + 701 + at) for at in range(20)]
        )
    assert found(built, "LCH03") == []


def test_a_compiled_training_is_not_told_to_compile(traces: pathlib.Path) -> None:
    report = build_report(traces / "hta_df_index_memory" / "df_index_resolver.json.gz")
    first = report.findings[0]
    assert (first.rule, first.numbers()["place"]) == ("LCH03", "backward")


def compiled(kernels: int) -> TraceBuilder:
    """So many of the nine kernels of a step."""
    built = hand_written_loss()
    for start in (0, 1000, 2000):
        built.op("Torch-Compiled Region: 0/0", start + 152, start + 155 + 20 * kernels - 1)
    return built


def lasting() -> TraceBuilder:
    """Compiled code with one long kernel."""
    return each_step(lambda built, at: built.op("Torch-Compiled Region: 0/0", at - 195, at + 700))


CASES = (
    CheckCases(
        "LCH03",
        boundary="half of the kernels are those of compiled code",
        positive=lambda: compiled(9),
        negative=lasting,
        least=lambda: compiled(5),
        below=lambda: compiled(4),
    ),
)
