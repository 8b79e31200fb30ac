"""PRC06: convolutions add a bias that the batch norm behind them takes away."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from public_report import PublicReport
from rule_scenes import found
from shape_scenes import numbered_op
from trace_builder import TraceBuilder


def convolving(
    *,
    adds: bool = True,
    bias_us: float = 20,
    counts_us: float = 1,
    behind: str = "aten::batch_norm",
    takes_us: float = 100,
    trains: bool = True,
) -> TraceBuilder:
    """A convolution, the counter of batches, and what follows; then the backward pass of the convolution."""
    built = TraceBuilder()
    norm_at = 150 + max(counts_us, 10)
    for number in range(3):
        at = 1000.0 * number
        built.step(number, at, at + 1000)
        numbered_op(built, "aten::conv2d", at + 10, at + 60, 7)
        built.launch(at + 15, at + 20, runs=(at + 30, at + 100))
        if adds:
            built.op("aten::add_", at + 30, at + 50)
            built.launch(at + 35, at + 40, runs=(at + 100, at + 100 + bias_us))
        built.op("aten::add_", at + 70, at + 80)
        built.launch(at + 71, at + 75, runs=(at + 150, at + 150 + counts_us))
        built.op(behind, at + 90, at + 120)
        built.launch(at + 95, at + 100, runs=(at + norm_at, at + norm_at + takes_us))
        if trains:
            numbered_op(built, "ConvolutionBackward0", at + 200, at + 300, 7, thread=1)
            built.op("aten::sum", at + 220, at + 250)
            built.launch(at + 225, at + 230, runs=(at + 300, at + 300 + bias_us))
    return built


def test_adding_it_and_summing_its_gradient_are_won_at_most() -> None:
    (finding,) = found(convolving(), "PRC06")
    assert finding.saving is not None
    kernels_ns, gap_ns, ops_ns = 2 * 20_000, 40_000, 20_000 + 30_000
    assert finding.saving.ceiling_ns == 3 * (kernels_ns + gap_ns + ops_ns)
    assert (finding.numbers()["biased"], finding.numbers()["pairs"]) == (3, 3)


@pytest.mark.parametrize(("bias_us", "codes"), [(4.9, []), (5, ["PRC06"])])
def test_one_percent_of_the_steps_is_worth_a_word(bias_us: float, codes: list[str]) -> None:
    assert [finding.rule for finding in found(convolving(bias_us=bias_us), "PRC06")] == codes


@pytest.mark.parametrize(
    ("counts_us", "takes_us", "count"), [(5, 12, 1), (5.1, 12, 0), (24.9, 100, 1), (25, 100, 0)]
)
def test_an_addition_that_takes_next_to_nothing_counts_batches(
    counts_us: float, takes_us: float, count: int
) -> None:
    """The shortest kernel of an older device takes a third of a small batch norm."""
    assert len(found(convolving(counts_us=counts_us, takes_us=takes_us), "PRC06")) == count


def test_without_a_bias_a_norm_or_a_training_there_is_none() -> None:
    assert found(convolving(behind="aten::relu"), "PRC06") == []
    assert found(convolving(trains=False), "PRC06") == []
    assert found(convolving(adds=False), "PRC06") == []


def test_a_public_resnet_has_none(traces: pathlib.Path, public_report: PublicReport) -> None:
    """53 convolutions in 6 steps, each before a batch norm."""
    (path, *_) = sorted((traces / "kineto_resnet50_nw4").glob("*.gz"))
    (check,) = (check for check in public_report(path).checks if check.rule == "PRC06")
    assert (check.state, check.numbers()) == ("passed", {"pairs": 318, "biased": 0})


CASES = (
    CheckCases(
        "PRC06",
        boundary="1 % of the steps",
        positive=lambda: convolving(),
        negative=lambda: convolving(adds=False),
        least=lambda: convolving(bias_us=5),
        below=lambda: convolving(bias_us=4.9),
    ),
)
