"""FUS: what is written out though the library has it in one op."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from public_report import PublicReport
from rule_scenes import found

RMS_NORM = ("aten::pow", "aten::mean", "aten::add", "aten::rsqrt", "aten::mul", "aten::mul")
LAYER_NORM = ("aten::mean", "aten::sub", "aten::pow", "aten::mean", "aten::add", "aten::sqrt", "aten::div")
GELU = (
    "aten::mul",
    "aten::pow",
    "aten::mul",
    "aten::add",
    "aten::mul",
    "aten::tanh",
    "aten::add",
    "aten::mul",
)
ATTENTION = ("aten::matmul", "aten::div", "aten::softmax", "aten::matmul")
LOSS = ("aten::softmax", "aten::log")

WRITTEN_OUT = [
    ("FUS01", RMS_NORM),
    ("FUS02", LAYER_NORM),
    ("FUS03", GELU),
    ("FUS03", ("aten::mul", "aten::sigmoid", "aten::mul")),
    ("FUS04", ATTENTION),
    ("FUS05", LOSS),
]


@pytest.mark.parametrize(("code", "ops"), WRITTEN_OUT)
def test_a_formula_is_found_by_its_ops(code: str, ops: tuple[str, ...]) -> None:
    fused = computing("aten::linear", *ops, "aten::linear").report().findings
    (finding,) = (one for one in fused if one.rule.startswith("FUS"))
    assert (finding.rule, finding.severity, finding.removal) == (code, "medium", "rewrite")
    assert finding.numbers()["written_out"] == 3
    assert finding.count == 3 * len(ops)
    assert finding.saving is not None
    # One pass over the data stays.
    assert finding.saving.ceiling_ns >= 3 * 10_000 * (len(ops) - 1)


@pytest.mark.parametrize(("code", "ops"), WRITTEN_OUT)
def test_other_ops_between_them_are_no_formula(code: str, ops: tuple[str, ...]) -> None:
    middle = len(ops) // 2
    apart = (*ops[:middle], "aten::linear", "aten::linear", *ops[middle:])
    assert found(computing(*apart), code) == []


@pytest.mark.parametrize(
    "ops", [("aten::rms_norm",), ("aten::mul", "aten::add"), ("aten::mean", "aten::sub")]
)
def test_the_fused_op_and_other_products_and_sums_are_none(ops: tuple[str, ...]) -> None:
    assert [f.rule for f in computing(*ops).report().findings if f.rule.startswith("FUS")] == []


@pytest.mark.parametrize(("kernel_us", "codes"), [(1.9, []), (2.1, ["FUS01"])])
def test_below_one_percent_of_the_steps_it_is_no_word_worth(kernel_us: float, codes: list[str]) -> None:
    """Five of six kernels can go."""
    built = computing(*RMS_NORM, kernel_us=kernel_us)
    assert [finding.rule for finding in found(built, "FUS01")] == codes
    check = next(check for check in built.report().checks if check.rule == "FUS01")
    assert check.state == ("failed" if codes else "passed")


def test_a_formula_ends_with_its_step() -> None:
    """What follows the activation of one step is the first product of the next, and the idle between them."""
    (finding,) = found(computing(*GELU, kernel_us=2), "FUS03")
    assert (finding.count, finding.severity) == (24, "medium")
    assert found(computing(*GELU, kernel_us=1), "FUS03") == []


def test_public_models(traces: pathlib.Path, public_report: PublicReport) -> None:
    """OWLv2 multiplies, scales and takes a softmax; Qwen has its own RMS norm; BERT calls what torch has."""
    fused = {
        path: {finding.rule for finding in public_report(traces / path).findings if finding.rule[:3] == "FUS"}
        for path in (
            "h100_owlv2_infer/h100_owlv2.json.gz",
            "h100_qwen_infer/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
            "h100_bert_small_infer/h100_bert_small.json.gz",
        )
    }
    assert list(fused.values()) == [{"FUS04"}, {"FUS01"}, set()]


CASES = (
    CheckCases(
        "FUS01",
        boundary="1 % of the steps",
        positive=lambda: computing(*RMS_NORM, kernel_us=50),
        negative=lambda: computing("aten::linear", "aten::relu"),
        least=lambda: computing(*RMS_NORM, kernel_us=2),
        below=lambda: computing(*RMS_NORM, kernel_us=1.99),
    ),
    CheckCases(
        "FUS02",
        boundary="1 % of the steps",
        positive=lambda: computing(*LAYER_NORM, kernel_us=50),
        negative=lambda: computing("aten::linear", "aten::relu"),
        least=lambda: computing(*LAYER_NORM, kernel_us=1.67),
        below=lambda: computing(*LAYER_NORM, kernel_us=1.66),
    ),
    CheckCases(
        "FUS03",
        boundary="1 % of the steps",
        positive=lambda: computing(*GELU, kernel_us=50),
        negative=lambda: computing("aten::linear", "aten::relu"),
        least=lambda: computing(*GELU, kernel_us=1.43),
        below=lambda: computing(*GELU, kernel_us=1.42),
    ),
    CheckCases(
        "FUS04",
        boundary="1 % of the steps",
        positive=lambda: computing(*ATTENTION, kernel_us=50),
        negative=lambda: computing("aten::linear", "aten::relu"),
        least=lambda: computing(*ATTENTION, kernel_us=3.34),
        below=lambda: computing(*ATTENTION, kernel_us=3.33),
    ),
    CheckCases(
        "FUS05",
        boundary="1 % of the steps",
        positive=lambda: computing(*LOSS, kernel_us=50),
        negative=lambda: computing("aten::linear", "aten::relu"),
        least=lambda: computing(*LOSS, kernel_us=10),
        below=lambda: computing(*LOSS, kernel_us=9.99),
    ),
)


def test_the_formula_of_a_public_model_has_its_line(
    traces: pathlib.Path, public_report: PublicReport
) -> None:
    report = public_report(traces / "h100_owlv2_infer" / "h100_owlv2.json.gz")
    (finding,) = (one for one in report.findings if one.rule == "FUS04")
    assert finding.figures.place == "transformers/models/owlv2/modeling_owlv2.py(410): forward"
    assert finding.remedy.hint == ""
