"""LCH04: a loop over rows of a tensor launches op after op."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from computing_scenes import computing
from rule_scenes import each_step, found
from trace_builder import TraceBuilder


@pytest.mark.parametrize(("turns", "codes"), [(9, []), (10, ["LCH04"])])
def test_ten_turns_with_a_selection_are_a_loop(turns: int, codes: list[str]) -> None:
    findings = found(turning(turns), "LCH04")
    assert [finding.rule for finding in findings] == codes
    assert all(finding.numbers()["turns"] == 3 * turns for finding in findings)


def test_equal_ops_without_a_selection_are_none() -> None:
    assert found(computing(*("aten::linear", "aten::relu") * 12, kernel_us=1, busy_us=5), "LCH04") == []


def test_a_loop_that_a_busy_device_does_not_wait_for_passes() -> None:
    built = turning(12, busy_us=900)
    assert found(built, "LCH04") == []
    (check,) = (check for check in built.report().checks if check.rule == "LCH04")
    assert (check.state, check.numbers()["turns"]) == ("passed", 36)


def test_a_loop_over_a_tensor_of_the_host_launches_nothing() -> None:
    built = each_step(host_loop)
    assert found(built, "LCH04") == []


def host_loop(built: TraceBuilder, at: float) -> None:
    for turn in range(12):
        built.op("aten::select", at + 20 * turn, at + 20 * turn + 5)
        built.op("aten::item", at + 20 * turn + 6, at + 20 * turn + 15)


def turning(turns: int, *, busy_us: float = 5) -> TraceBuilder:
    return computing(*("aten::select", "aten::mul") * turns, kernel_us=1, busy_us=busy_us)


CASES = (
    CheckCases(
        "LCH04",
        boundary="ten turns",
        positive=lambda: turning(30),
        negative=lambda: turning(12, busy_us=900),
        least=lambda: turning(10),
        below=lambda: turning(9),
    ),
)
