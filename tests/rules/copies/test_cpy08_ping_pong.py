"""CPY08: a tensor goes to the host and comes back in the same step."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import each_step, found
from scenes import upload
from trace_builder import TraceBuilder

from tbprof.analysis.figures.savings import LINE_NS

LARGE = 1_000_000


def leave(built: TraceBuilder, at: float, size_bytes: int = LARGE) -> None:
    """`x.cpu()` of 100 us."""
    built.op("aten::copy_", at, at + 101)
    built.copy("DtoH", "pageable", at, at + 100, runs=(at + 1, at + 99), size_bytes=size_bytes)


def trips(size_bytes: int = LARGE, *, back_bytes: int = 0, steps: int = 5, of: int = 5) -> TraceBuilder:
    """A trip of 100 + 102 us in the first `steps` of five steps."""

    def trip(built: TraceBuilder, at: float) -> None:
        if at < 1000 * steps:
            leave(built, at, size_bytes)
            upload(built, at + 200, wait=100, size_bytes=back_bytes or size_bytes)

    return each_step(trip, steps=of)


def test_as_many_bytes_there_and_back_are_found() -> None:
    (finding,) = found(trips(), "CPY08")

    assert (finding.removal, finding.confidence, finding.count) == ("rewrite", "low", 10)
    assert (len(finding.sites), finding.steps) == (2, (0, 1, 2, 3, 4))
    assert finding.numbers() == {"trips": 5, "bytes": 10 * LARGE}
    assert finding.saving is not None
    assert finding.saving.ceiling_ns == 5 * (100_000 + 105_000 + 2 * LINE_NS)


def test_other_sizes_are_other_tensors() -> None:
    assert found(trips(back_bytes=LARGE + 4), "CPY08") == []


@pytest.mark.parametrize(("size_bytes", "count"), [(65_536, 0), (65_537, 1)])
def test_up_to_64_kb_equal_sizes_are_chance(size_bytes: int, count: int) -> None:
    assert len(found(trips(size_bytes), "CPY08")) == count


@pytest.mark.parametrize(("steps", "count"), [(3, 0), (4, 1)])
def test_it_happens_in_80_percent_of_the_steps(steps: int, count: int) -> None:
    assert len(found(trips(steps=steps), "CPY08")) == count


def test_what_came_before_it_left_has_not_come_back() -> None:
    def back_first(built: TraceBuilder, at: float) -> None:
        upload(built, at, wait=100, size_bytes=LARGE)
        leave(built, at + 200)

    assert found(each_step(back_first), "CPY08") == []


def test_one_upload_brings_back_one_tensor() -> None:
    def two_leave(built: TraceBuilder, at: float) -> None:
        leave(built, at)
        leave(built, at + 110)
        upload(built, at + 300, wait=100, size_bytes=LARGE)

    (finding,) = found(each_step(two_leave), "CPY08")
    assert finding.numbers()["trips"] == 3


CASES = (
    CheckCases(
        "CPY08",
        boundary="64 KB, up to which equal sizes are chance",
        positive=lambda: trips(),
        negative=lambda: trips(back_bytes=LARGE + 4),
        least=lambda: trips(65_537),
        below=lambda: trips(65_536),
    ),
)
