"""INF01: dropout is active though nothing is trained."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import finding_note


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


def on_host(*ops: tuple[str, float, float]) -> TraceBuilder:
    """Steps of 1000 us without a GPU; each op with its begin and end in the step."""
    built = TraceBuilder()
    for number in range(3):
        built.step(number, 1000.0 * number, 1000.0 * (number + 1))
        for name, start, end in ops:
            built.op(name, 1000.0 * number + start, 1000.0 * number + end)
    return built


def test_without_a_gpu_the_host_spends_the_time() -> None:
    built = on_host(
        ("aten::batch_norm", 0, 50),
        ("aten::dropout", 100, 300),
        ("aten::bernoulli_", 120, 220),
        ("aten::dropout", 400, 410),
    )
    (finding,) = found(built, "INF01")
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 3 * 250_000, "a dropout that draws nothing costs nothing"
    assert finding.severity == "medium"
    note = finding_note(finding, scope_of(marks_steps=True))
    assert note == ("3 calls drop something, 0.2\u202fms a step; batch norms take 50\u202fµs.")


def test_without_a_gpu_a_model_in_evaluation_mode_passes() -> None:
    report = on_host(("aten::linear", 0, 50), ("aten::dropout", 100, 101)).report()
    (check,) = (check for check in report.checks if check.rule == "INF01")
    assert (check.state, check.numbers()) == ("passed", {"calls": 3})


def test_a_program_whose_gpu_work_was_lost_is_not_judged() -> None:
    built = on_host(("aten::native_dropout", 100, 300))
    built.call("cudaLaunchKernel", 110, 120)
    (check,) = (check for check in built.report().checks if check.rule == "INF01")
    assert check.state == "not_checked"


def test_public_inference(traces: pathlib.Path, public_report: PublicReport) -> None:
    """An AlexNet that was never put into evaluation mode, and a BERT that was."""
    alexnet = public_report(traces / "hta_critical_path" / "alexnet.json.gz")
    bert = public_report(traces / "h100_bert_small_infer" / "h100_bert_small.json.gz")
    assert "INF01" in {finding.rule for finding in alexnet.findings}
    (check,) = (check for check in bert.checks if check.rule == "INF01")
    assert (check.state, check.numbers()["calls"]) == ("passed", 9)


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
