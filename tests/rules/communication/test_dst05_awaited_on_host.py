"""DST05: the host blocks on a collective."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from communication_scenes import NAME
from rule_scenes import found
from trace_builder import TraceBuilder


def awaiting(communicates: float) -> TraceBuilder:
    """Steps of 1,000 us that read a value after 600 us, of which the device communicates so long."""
    built = TraceBuilder()
    for number in range(3):
        start = number * 1_000.0
        built.step(number, start, start + 1_000)
        built.launch(start + 1, start + 2, runs=(start + 10, start + 610 - communicates))
        runs = (start + 610 - communicates, start + 610)
        built.launch(start + 3, start + 4, runs=runs, name=NAME, stream=20)
        built.op("aten::item", start + 9, start + 630)
        built.copy("DtoH", "pageable", start + 10, start + 620, runs=(start + 611, start + 612))
    return built


def test_a_read_that_waits_for_a_collective_is_found() -> None:
    (finding,) = found(awaiting(400), "DST05")
    assert (finding.sites, finding.count, finding.removal) == ((0,), 3, "rewrite")
    assert finding.numbers()["waiting_per_step_ns"] == 400_000


@pytest.mark.parametrize(("communicates", "count"), [(305, 1), (304, 0)])
def test_from_half_of_the_wait_on(communicates: float, count: int) -> None:
    assert len(found(awaiting(communicates), "DST05")) == count


def test_a_read_that_waits_for_kernels_is_silent() -> None:
    assert found(awaiting(0), "DST05") == []


CASES = (
    CheckCases(
        "DST05",
        boundary="half of the wait",
        positive=lambda: awaiting(400),
        negative=lambda: awaiting(100),
        least=lambda: awaiting(305),
        below=lambda: awaiting(304),
    ),
)
