"""CPY13: large copies run far below the speed of the same link."""

from __future__ import annotations

import pytest
from check_cases import CheckCases
from rule_scenes import found
from trace_builder import TraceBuilder

LARGE = 1_000_000


def copies(*lengths: float, size_bytes: int = LARGE, memory: str = "pinned") -> TraceBuilder:
    """One copy in each step of 1000 us, of such a length; their ops are equal."""
    built = TraceBuilder()
    for number, length in enumerate(lengths):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        runs = (start + 10, start + 10 + length)
        built.copy("HtoD", memory, start, start + 5, runs=runs, size_bytes=size_bytes)
        built.launch(start + 900, start + 901, runs=(start + 902, start + 1000))
    return built


def test_copies_of_a_quarter_of_the_speed_are_found() -> None:
    """10 GB/s once, then 2.5: of 400 us a copy of the best speed takes 100."""
    (finding,) = found(copies(100, 400, 400), "CPY13")

    assert (finding.removal, finding.severity, finding.sites) == ("rewrite", "critical", (0,))
    assert finding.numbers() == {
        "copies": 2,
        "bytes": 2 * LARGE,
        "gb_per_s": 2.5,
        "best_gb_per_s": 10.0,
    }
    assert finding.saving is not None
    assert (finding.saving.floor_ns, finding.saving.ceiling_ns) == (0, 2 * 300_000)


@pytest.mark.parametrize(("length", "count"), [(250, 0), (250.001, 1)])
def test_below_40_percent_of_the_best_it_is_slow(length: float, count: int) -> None:
    assert len(found(copies(100, length, length), "CPY13")) == count


@pytest.mark.parametrize(("size_bytes", "count"), [(999_999, 0), (1_000_000, 1)])
def test_under_1_mb_the_start_takes_as_long_as_the_bytes(size_bytes: int, count: int) -> None:
    assert len(found(copies(100, 400, 400, size_bytes=size_bytes), "CPY13")) == count


def test_pageable_memory_is_silent() -> None:
    assert found(copies(100, 400, 400, memory="pageable"), "CPY13") == []


def test_what_kernels_hide_is_not_lost() -> None:
    built = copies(100, 400, 400)
    for number in range(3):
        start = 1000.0 * number
        built.launch(start, start + 1, runs=(start + 5, start + 500), stream=20)
    assert found(built, "CPY13") == []


def test_one_copy_alone_is_the_best_of_its_kind() -> None:
    assert found(copies(800), "CPY13") == []


CASES = (
    CheckCases(
        "CPY13",
        boundary="40 % of the best speed of the link",
        positive=lambda: copies(100, 400, 400),
        negative=lambda: copies(100, 100, 100),
        least=lambda: copies(100, 250.001, 250.001),
        below=lambda: copies(100, 250, 250),
    ),
)
