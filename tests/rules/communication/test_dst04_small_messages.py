"""DST04: many collectives with little in them."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from communication_scenes import exchanging
from rule_scenes import found
from trace_builder import TraceBuilder


def test_many_small_collectives_are_found() -> None:
    (finding,) = found(exchanging(400, each=20, elements=1_000), "DST04")
    assert (finding.count, finding.numbers()["per_step"]) == (40, 20)
    assert finding.saving is not None
    assert finding.numbers()["exposed_per_step_ns"] == 400_000
    assert 2 * 400_000 <= finding.saving.ceiling_ns <= 2 * 500_000, "with the host's time for launching them"


@pytest.mark.parametrize(("each", "count"), [(19, 0), (20, 1)])
def test_from_twenty_a_step_on(each: int, count: int) -> None:
    assert len(found(exchanging(400, each=each, elements=1_000), "DST04")) == count


@pytest.mark.parametrize(("elements", "count"), [(250_000, 1), (250_001, 0), (None, 1)])
def test_up_to_a_megabyte_and_where_no_size_was_recorded(elements: int | None, count: int) -> None:
    assert len(found(exchanging(400, each=20, elements=elements), "DST04")) == count


@pytest.mark.parametrize(("exposed", "count"), [(20 * 49, 1), (20 * 50, 0)])
def test_what_takes_fifty_microseconds_is_not_small(exposed: float, count: int) -> None:
    assert len(found(exchanging(exposed, each=20, elements=1_000), "DST04")) == count


def small(each: int) -> TraceBuilder:
    return exchanging(400, each=each, elements=1_000)


CASES = (
    CheckCases(
        "DST04",
        boundary="20 collectives a step",
        positive=lambda: small(60),
        negative=lambda: exchanging(400, each=20, elements=1_000_000),
        least=lambda: small(20),
        below=lambda: small(19),
    ),
)
