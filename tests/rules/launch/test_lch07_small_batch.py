"""LCH07: a larger batch would cost little."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import found
from trace_builder import TraceBuilder


def launching(kernel_us: float, *, optimizer_us: float = 0) -> TraceBuilder:
    """Steps of forty kernels, one launched each 20 us, as long as given, and one of an optimizer."""
    built = TraceBuilder()
    at = 0.0
    for number in range(4):
        begin = at
        for _ in range(40):
            built.launch(at, at + 0.4, runs=(at + 0.5, at + 0.5 + kernel_us))
            at += 20
        if optimizer_us:
            built.annotation("Optimizer.step#SGD.step", at, at + 20)
            built.launch(at, at + 10, runs=(at + 12, at + 12 + optimizer_us))
            at += optimizer_us + 20
        built.step(number, begin, at)
    return built


@pytest.mark.parametrize(("kernel_us", "factor"), [(11, 2), (5.5, 4), (2.75, 8)])
def test_the_device_is_full_where_kernels_take_as_long_as_launches(kernel_us: float, factor: int) -> None:
    (finding,) = found(launching(kernel_us), "LCH07")
    assert (finding.severity, finding.saving) == ("info", None)
    assert finding.numbers()["factor"] == factor
    assert finding.numbers()["least_share"] == pytest.approx(1 / factor, abs=0.001)
    assert float(finding.numbers()["share"]) == pytest.approx(kernel_us / 20, rel=0.05)


@pytest.mark.parametrize(("kernel_us", "codes"), [(17, ["LCH07"]), (19, [])])
def test_with_less_than_a_tenth_idle_a_larger_batch_is_hardly_felt(
    kernel_us: float, codes: list[str]
) -> None:
    assert [finding.rule for finding in found(launching(kernel_us), "LCH07")] == codes


def test_what_the_optimizer_does_stays_as_long_as_it_is() -> None:
    (finding,) = found(launching(5.5, optimizer_us=400), "LCH07")
    whole = 40 * 20 + 420
    assert float(finding.numbers()["share"]) == pytest.approx((4 * 40 * 5.5 + 400) / 4 / whole, rel=0.1)


CASES = (
    CheckCases(
        "LCH07",
        boundary="a tenth of a step idle",
        positive=lambda: launching(2.75),
        negative=lambda: launching(19.5),
        least=lambda: launching(17.88),
        below=lambda: launching(17.9),
    ),
)
