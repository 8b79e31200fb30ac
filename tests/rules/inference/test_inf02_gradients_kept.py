"""INF02: gradients are prepared for, and nobody asks for them."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

import pytest
import torch
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from shape_scenes import numbered_op
from torch.profiler import ProfilerActivity, profile
from trace_builder import TraceBuilder

from tbprof.report import build_report


def inferring(numbers: Sequence[int], *others: str) -> TraceBuilder:
    """Steps of ops that bear these numbers of autograd's; one that others follow has none of them."""
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for at, number in enumerate(numbers):
        numbered_op(built, "aten::linear", 10 + 20 * at, 20 + 20 * at, number)
    for at, name in enumerate(others):
        built.op(name, 500 + 20 * at, 510 + 20 * at)
    return built


@pytest.mark.parametrize(
    ("numbers", "others", "nodes"),
    [
        ((3, 3, 4, 5), (), [2]),
        ((3, 3, 3), (), []),
        ((), (), []),
        ((3, 4), ("autograd::engine::evaluate_function: AddmmBackward0",), []),
    ],
)
def test_nodes_are_counted_by_the_numbers_that_ops_bear(
    numbers: Sequence[int], others: Sequence[str], nodes: list[int]
) -> None:
    assert [finding.count for finding in found(inferring(numbers, *others), "INF02")] == nodes


@pytest.mark.parametrize(
    ("mode", "state"),
    [(nullcontext(), "failed"), (torch.no_grad(), "passed"), (torch.inference_mode(), "passed")],
    ids=["plain", "no_grad", "inference_mode"],
)
def test_a_model_on_the_cpu(mode: AbstractContextManager[None], state: str, tmp_path: pathlib.Path) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    with mode, profile(activities=[ProfilerActivity.CPU]) as recorded:
        for _ in range(3):
            model(torch.ones(2, 4))
    recorded.export_chrome_trace(str(tmp_path / "x.pt.trace.json"))
    checks = {check.rule: check for check in build_report(tmp_path / "x.pt.trace.json").checks}
    assert checks["INF02"].state == state


def test_a_public_alexnet_prepares_for_gradients(traces: pathlib.Path, public_report: PublicReport) -> None:
    alexnet = public_report(traces / "hta_critical_path" / "alexnet.json.gz")
    bert = public_report(traces / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    assert "INF02" in {finding.rule for finding in alexnet.findings}
    assert {check.rule: check.state for check in bert.checks}["INF02"] == "passed"


CASES = (
    CheckCases(
        "INF02",
        boundary="two nodes; after each the number that ops bear is one higher",
        positive=lambda: inferring(range(20)),
        negative=lambda: inferring((3, 3, 3)),
        least=lambda: inferring((3, 4, 5)),
        below=lambda: inferring((3, 4)),
    ),
)
