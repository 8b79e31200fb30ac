"""MEM04: activations are computed twice to save memory."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from rule_scenes import found
from trace_builder import TraceBuilder

AGAIN = "torch/utils/checkpoint.py(1500): recompute_fn"


def checkpointed(frame: str, kernel_us: float) -> TraceBuilder:
    built = computing("aten::linear", kernel_us=kernel_us)
    for number in range(3):
        built.frame("torch/utils/checkpoint.py(474): checkpoint", 1000 * number + 10, 1000 * number + 15)
        built.frame(frame, 1000 * number + 20, 1000 * number + 60)
    return built


@pytest.mark.parametrize(("kernel_us", "codes"), [(9.9, []), (10, ["MEM04"])])
def test_what_runs_in_the_second_forward_pass_is_counted(kernel_us: float, codes: list[str]) -> None:
    findings = found(checkpointed(AGAIN, kernel_us), "MEM04")
    assert [finding.rule for finding in findings] == codes
    assert all(finding.severity == "low" for finding in findings)


def test_a_forward_pass_is_none() -> None:
    assert found(checkpointed(AGAIN, 0.5), "MEM04") == []


def test_without_frames_it_is_not_checked() -> None:
    report = computing("aten::linear").report()
    assert ("MEM04", "Python frames") in {(row.rule, row.needs) for row in report.not_checked}


CASES = (
    CheckCases(
        "MEM04",
        boundary="1 % of the steps",
        positive=lambda: checkpointed(AGAIN, 100),
        negative=lambda: checkpointed(AGAIN, 0.5),
        least=lambda: checkpointed(AGAIN, 10),
        below=lambda: checkpointed(AGAIN, 9.9),
    ),
)
