"""INF01: dropout is active though nothing is trained."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from public_report import PublicReport
from rule_scenes import found


@pytest.mark.parametrize(
    ("ops", "codes"),
    [
        (("aten::linear", "aten::native_dropout"), ["INF01"]),
        (("aten::linear", "aten::dropout"), []),
        (("aten::native_dropout", "autograd::engine::evaluate_function: MmBackward0"), []),
    ],
)
def test_it_is_found_where_nothing_is_trained(ops: tuple[str, ...], codes: list[str]) -> None:
    assert [finding.rule for finding in found(computing(*ops), "INF01")] == codes


def test_public_inference(traces: pathlib.Path, public_report: PublicReport) -> None:
    """An AlexNet that was never put into evaluation mode, and a BERT that was."""
    alexnet = public_report(traces / "hta_critical_path" / "alexnet.json.gz")
    bert = public_report(traces / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    assert "INF01" in {finding.rule for finding in alexnet.findings}
    (check,) = (check for check in bert.checks if check.rule == "INF01")
    assert (check.state, check.numbers["calls"]) == ("passed", 9)


CASES = (
    CheckCases(
        "INF01",
        boundary="no threshold: a single mask that is drawn, by an op of that name",
        positive=lambda: computing(*("aten::linear", "aten::native_dropout") * 9),
        negative=lambda: computing("aten::linear", "aten::dropout", "aten::dropout"),
        least=lambda: computing("aten::linear", "aten::native_dropout", steps=1),
        below=lambda: computing("aten::linear", "aten::dropout", steps=1),
    ),
)
