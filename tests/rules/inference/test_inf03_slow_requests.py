"""INF03: some requests take far longer than most."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from check_cases import CheckCases
from rule_scenes import found
from trace_builder import TraceBuilder


def answering(
    lengths_us: Sequence[float], *, label: str = "", lag_us: float = 0, op: str = "aten::linear"
) -> TraceBuilder:
    """Requests of these lengths, as steps or as ranges of that label; the device is done that much later."""
    built = TraceBuilder()
    at = 0.0
    for number, length in enumerate(lengths_us):
        if label:
            built.annotation(label, at, at + length)
        else:
            built.step(number, at, at + length)
        built.op(op, at + 1, at + 10)
        built.launch(at + 2, at + 5, runs=(at + 6, at + length + lag_us))
        at += length + 50
    return built


@pytest.mark.parametrize(("slowest_us", "slow"), [(199, []), (200, [1])])
def test_twice_the_median_is_slow(slowest_us: float, slow: list[int]) -> None:
    assert [finding.count for finding in found(slowest(slowest_us), "INF03")] == slow


def test_latencies_end_when_the_device_is_done() -> None:
    (check,) = (c for c in answering([100] * 12, lag_us=40).report().checks if c.rule == "INF03")
    assert check.state == "passed"
    assert (check.numbers()["requests"], check.numbers()["p50_ns"], check.numbers()["p99_ns"]) == (
        12,
        140_000,
        140_000,
    )
    assert check.numbers()["per_s"] == pytest.approx(1e6 / 140, abs=0.1)


def test_the_first_ones_warm_up() -> None:
    built = answering([900, 500, *[100] * 12])
    assert found(built, "INF03") == []
    (check,) = (check for check in built.report().checks if check.rule == "INF03")
    assert (check.numbers()["requests"], check.numbers()["first_ns"]) == (12, 900_000)


def test_a_label_that_comes_often_is_a_request_where_no_steps_are_marked() -> None:
    built = answering([*[100] * 12, 300, *[100] * 5], label="answer")
    assert [finding.count for finding in found(built, "INF03")] == [1]


def test_few_requests_are_not_checked_and_a_training_has_none() -> None:
    few = answering([100] * 9).report()
    assert ("INF03", "ten requests") in {(row.rule, row.needs) for row in few.not_checked}
    training = answering([*[100] * 12, 300], op="autograd::engine::evaluate_function: MmBackward0").report()
    (check,) = (check for check in training.checks if check.rule == "INF03")
    assert check.state == "not_applicable"


def slowest(latency_us: float) -> TraceBuilder:
    return answering([*[100] * 10, latency_us, *[100] * 9])


CASES = (
    CheckCases(
        "INF03",
        boundary="twice the median",
        positive=lambda: slowest(900),
        negative=lambda: slowest(100),
        least=lambda: slowest(200),
        below=lambda: slowest(199),
    ),
)
