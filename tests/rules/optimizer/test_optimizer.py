"""OPT: how many kernels updating the parameters, and zeroing the gradients, takes."""

from __future__ import annotations

import pathlib

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from public_report import PublicReport
from rule_scenes import found
from trace_builder import TraceBuilder

STEP, ZERO = "Optimizer.step#AdamW.step", "Optimizer.zero_grad#AdamW.zero_grad"
SEVERAL = ("aten::_foreach_lerp_", "aten::_foreach_mul_", "aten::_foreach_addcdiv_")


def codes(built: TraceBuilder) -> list[str]:
    report = built.report()
    assert report.failed_rules == ()
    return [finding.rule for finding in report.findings if finding.rule.startswith("OPT")]


def update(range_name: str, op: str, ops: int, *, kernel_us: float = 1) -> TraceBuilder:
    """A step of 1000 us in which the host has 20 us for each op."""
    return computing(*[op] * ops, around=range_name, kernel_us=kernel_us, busy_us=900)


@pytest.mark.parametrize(("ops", "expected"), [(49, []), (50, ["OPT01"])])
def test_fifty_kernels_a_call_are_one_parameter_after_the_other(ops: int, expected: list[str]) -> None:
    assert codes(one_by_one(ops)) == expected


def test_a_foreach_update_could_be_fused_and_a_fused_one_is_not_found() -> None:
    """All operations but one can go, and the 70 us that the host takes for them."""
    (finding,) = found(computing(*SEVERAL, around=STEP), "OPT02")
    assert finding.saving is not None
    assert (finding.saving.ceiling_ns, finding.numbers()["place"]) == (3 * (2 * 10_000 + 70_000), "AdamW")
    assert codes(computing(*SEVERAL, around=STEP, kernel_us=4)) == []
    assert codes(computing(*SEVERAL, "aten::_fused_adamw_", around=STEP)) == []
    assert codes(update(STEP, "aten::_foreach_add_", 8, kernel_us=10)) == []


def test_an_optimizer_that_torch_has_no_other_form_of_is_left_alone() -> None:
    assert codes(update("Optimizer.step#Shampoo.step", "aten::_foreach_mul_", 8, kernel_us=10)) == []


@pytest.mark.parametrize(("ops", "expected"), [(9, []), (10, ["OPT03"])])
def test_ten_fills_a_call_are_gradients_that_are_zeroed(ops: int, expected: list[str]) -> None:
    assert codes(update(ZERO, "aten::zero_", ops, kernel_us=10)) == expected


def test_an_update_that_takes_nothing_passes_with_its_figures() -> None:
    report = update(STEP, "aten::_foreach_addcdiv_", 1).report()
    (check,) = (check for check in report.checks if check.rule == "OPT02")
    assert (check.state, check.numbers()["calls"]) == ("passed", 3)


def test_ranges_of_no_length_hold_nothing() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    for name in (STEP, ZERO):
        built.annotation(name, 100, 100)
    built.launch(100, 105, runs=(110, 900))
    assert codes(built) == []


def test_public_trainings(traces: pathlib.Path, public_report: PublicReport) -> None:
    """One on a V100 zeroes 412 gradients a step; one of DistributedDataParallel has a single buffer."""
    zeroed = public_report(traces / "hta_df_index_memory" / "df_index_resolver.json.gz")
    buffers = public_report(traces / "hta_nccl_ddp" / "ns_resolution.json.gz")
    assert "OPT03" in {finding.rule for finding in zeroed.findings}
    assert "OPT03" not in {finding.rule for finding in buffers.findings}


def one_by_one(ops: int) -> TraceBuilder:
    """Steps of 4000 us with so many updates of one parameter each."""
    built = TraceBuilder()
    for number in range(3):
        start = 4000.0 * number
        built.step(number, start, start + 4000)
        built.annotation(STEP, start + 10, start + 2000)
        for at in range(ops):
            host = start + 20 + 20 * at
            built.op("aten::addcdiv_", host, host + 10)
            built.launch(host + 1, host + 3, runs=(host + 5, host + 12))
    return built


CASES = (
    CheckCases(
        "OPT01",
        boundary="50 kernels a call",
        positive=lambda: one_by_one(90),
        negative=lambda: computing(*SEVERAL, around=STEP),
        least=lambda: one_by_one(50),
        below=lambda: one_by_one(49),
    ),
    CheckCases(
        "OPT02",
        boundary="1 % of the steps: all operations but one can go",
        positive=lambda: computing(*SEVERAL, around=STEP),
        negative=lambda: computing("aten::_fused_adamw_", around=STEP),
        least=lambda: computing(*SEVERAL, around=STEP, kernel_us=5),
        below=lambda: computing(*SEVERAL, around=STEP, kernel_us=4.9),
    ),
    CheckCases(
        "OPT03",
        boundary="ten fills a call",
        positive=lambda: update(ZERO, "aten::zero_", 40, kernel_us=10),
        negative=lambda: update(ZERO, "aten::_foreach_zero_", 1),
        least=lambda: update(ZERO, "aten::zero_", 10, kernel_us=10),
        below=lambda: update(ZERO, "aten::zero_", 9, kernel_us=10),
    ),
)
