"""DST01: communication is not overlapped with computing."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from communication_scenes import NAME, exchanging
from rule_scenes import found
from trace_builder import TraceBuilder


def test_communication_that_nothing_covers_is_found_by_kind_and_group() -> None:
    (finding,) = found(exchanging(2_000, elements=100_000_000), "DST01")
    assert (finding.severity, finding.removal, finding.count) == ("medium", "rewrite", 2)
    assert finding.saving is not None
    assert (finding.saving.estimate_ns, finding.saving.ceiling_ns) == (None, 2 * 2_000_000)
    assert finding.numbers()["place"] == "all_reduce of group 0"
    assert (finding.numbers()["exposed_per_step_ns"], finding.numbers()["waiting_per_step_ns"]) == (
        2_000_000,
        0,
    )


def test_what_its_size_can_not_take_is_waiting() -> None:
    (finding,) = found(exchanging(2_000, elements=1_000), "DST01")
    # 4 kB: 0.2 ms to start, 8 us at the most to send.
    assert finding.numbers()["waiting_per_step_ns"] == 2_000_000 - 200_000 - 8_000


@pytest.mark.parametrize(("exposed", "count"), [(99, 0), (100, 1)])
def test_from_one_percent_of_the_steps_on(exposed: float, count: int) -> None:
    assert len(found(exchanging(exposed), "DST01")) == count


def test_communication_beside_computing_is_silent() -> None:
    assert found(hidden(), "DST01", "DST04", "DST05") == []


def hidden() -> TraceBuilder:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(1, 2, runs=(10, 900))
    built.launch(3, 4, runs=(20, 800), name=NAME, stream=20)
    return built


CASES = (
    CheckCases(
        "DST01",
        boundary="1 % of the steps",
        positive=lambda: exchanging(2_000),
        negative=hidden,
        least=lambda: exchanging(100),
        below=lambda: exchanging(99),
    ),
)
