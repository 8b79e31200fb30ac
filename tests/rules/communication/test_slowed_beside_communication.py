"""DST07 and DST09: copies and kernels that take longer beside communication."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from communication_scenes import NAME
from rule_scenes import found
from trace_builder import TraceBuilder


def beside_and_alone(
    beside: float, *, what: str, shapes: tuple[str, str] = ("[[8]]", "[[8]]")
) -> TraceBuilder:
    """Steps of 2,000 us: a copy or kernel of 100 us alone, and one that takes `beside` while ranks talk."""
    built = TraceBuilder()
    for number in range(4):
        start = 2_000.0 * number
        built.step(number, start, start + 2_000)
        built.launch(start + 1, start + 2, runs=(start + 1_000, start + 1_500), name=NAME, stream=20)
        for at, shape, runs in (
            (start + 10, shapes[0], (start + 100, start + 200)),
            (start + 30, shapes[1], (start + 1_000, start + 1_000 + beside)),
        ):
            if what == "copy":
                built.copy("HtoD", "pinned", at, at + 5, runs=runs, size_bytes=1 << 20)
            else:
                built.op("aten::mm", at, at + 10)
                built.events[-1]["args"]["Input Dims"] = shape
                built.launch(at + 1, at + 2, runs=runs)
    return built


CODES = {"copy": "DST07", "kernel": "DST09"}


@pytest.mark.parametrize("what", CODES)
def test_what_takes_half_as_long_again_is_found(what: str) -> None:
    (finding,) = found(beside_and_alone(150, what=what), *CODES.values())
    assert (finding.rule, finding.count) == (CODES[what], 4)
    assert finding.numbers()["longer_share"] == 0.5
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 4 * 50_000


@pytest.mark.parametrize("what", CODES)
@pytest.mark.parametrize(("beside", "count"), [(119, 0), (120, 1)])
def test_from_one_percent_of_the_steps_on(what: str, beside: float, count: int) -> None:
    assert len(found(beside_and_alone(beside, what=what), *CODES.values())) == count


def test_kernels_of_other_shapes_are_not_compared() -> None:
    assert found(beside_and_alone(150, what="kernel", shapes=("[[8]]", "[[9]]")), "DST09") == []


def test_without_shapes_kernels_are_not_checked() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1_000)
    built.launch(1, 2, runs=(10, 900), name=NAME)
    assert {missing.rule for missing in built.report().not_checked} >= {"DST09"}


CASES = (
    CheckCases(
        "DST07",
        boundary="1 % of the steps",
        positive=lambda: beside_and_alone(150, what="copy"),
        negative=lambda: beside_and_alone(100, what="copy"),
        least=lambda: beside_and_alone(120, what="copy"),
        below=lambda: beside_and_alone(119, what="copy"),
    ),
    CheckCases(
        "DST09",
        boundary="1 % of the steps",
        positive=lambda: beside_and_alone(150, what="kernel"),
        negative=lambda: beside_and_alone(100, what="kernel"),
        least=lambda: beside_and_alone(120, what="kernel"),
        below=lambda: beside_and_alone(119, what="kernel"),
    ),
)
