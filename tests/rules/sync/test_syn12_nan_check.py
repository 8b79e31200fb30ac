"""SYN12: every gradient is tested for NaN."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import each_step, found
from scenes import read_scalar
from trace_builder import TraceBuilder

CODES = ("SYN01", "SYN02", "SYN05", "SYN07", "SYN12")
READ = ("aten::item", "aten::_local_scalar_dense")
BACKWARD = 555


def backward(nodes: int, *ops: str) -> TraceBuilder:
    """One read under each node, as anomaly mode makes it on the thread of autograd."""

    def read(built: TraceBuilder, at: float) -> None:
        for number in range(nodes):
            node = f"autograd::engine::evaluate_function: Node{number % 4}Backward0"
            read_scalar(built, at + 20 * number, wait=10, ops=(node, *ops, *READ), thread=BACKWARD)

    return each_step(read)


def test_a_read_behind_every_node_is_one_finding() -> None:
    (finding,) = found(backward(24), *CODES)
    assert (finding.rule, finding.removal, finding.count) == ("SYN12", "drop", 72)
    assert (finding.sites, finding.numbers()) == ((0, 1, 2, 3), {"kind": "anomaly", "per_step": 24})


@pytest.mark.parametrize(("nodes", "rules"), [(19, {"SYN05"}), (20, {"SYN12"})])
def test_less_than_20_reads_may_be_somebodys_own(nodes: int, rules: set[str]) -> None:
    assert {finding.rule for finding in found(backward(nodes), *CODES)} == rules


def test_a_function_that_reads_in_its_own_backward_is_not_the_engine() -> None:
    rules = {finding.rule for finding in found(backward(24, "MyFunctionBackward"), *CODES)}
    assert rules == {"SYN05"}


def clipped(frame: str) -> TraceBuilder:
    def check(built: TraceBuilder, at: float) -> None:
        built.frame("train.py(12): step", at - 20, at + 150)
        built.frame(frame, at - 10, at + 120)
        read_scalar(built, at, wait=100, ops=("aten::is_nonzero", *READ), size_bytes=1)

    return each_step(check)


def test_a_norm_that_must_be_finite_is_found_once() -> None:
    (finding,) = found(clipped("torch/nn/utils/clip_grad.py(180): clip_grad_norm_"), *CODES)
    assert (finding.rule, finding.count, finding.numbers()) == ("SYN12", 3, {"kind": "error_if_nonfinite"})


def test_the_same_question_elsewhere_is_left_to_syn02() -> None:
    rules = [finding.rule for finding in found(clipped("check.py(1): assert_finite"), *CODES)]
    assert rules == ["SYN02"]


def test_a_training_without_anomaly_mode_is_silent(traces: pathlib.Path, public_report: PublicReport) -> None:
    report = public_report(traces / "hta_trace_diff" / "control.json.gz")
    assert [finding for finding in report.findings if finding.rule == "SYN12"] == []


CASES = (
    CheckCases(
        "SYN12",
        boundary="20 reads of autograd a step",
        positive=lambda: backward(40),
        negative=lambda: clipped("check.py(1): assert_finite"),
        least=lambda: backward(20),
        below=lambda: backward(19),
    ),
)
