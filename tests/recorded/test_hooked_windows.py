"""Exact lines of the hook on a GPU, beside those that independent witnesses saw in the same programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_lines import Line, unpack_programs

from tbprof.report import build_report


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack_programs(tmp_path_factory.mktemp("gpu"), "hooked", "contact")


def exact_lines(window: Path) -> set[Line]:
    """The lines of all sites that wait; (file, 0) where one is not exact."""
    sources = [site.source for site in build_report(window).sites if site.blocking]
    return {(each.file, each.line or 0) if each is not None and each.exact else ("", 0) for each in sources}


def test_each_wait_has_the_line_that_a_witness_saw(recorded: Path) -> None:
    programs = json.loads((recorded / "programs.json").read_text(encoding="utf-8"))["programs"]
    windows = sorted(recorded.parent.glob("hooked/*.trace.json.gz"))
    assert len(windows) == 9
    for window in windows:
        rows = programs[window.name.removesuffix(".trace.json.gz")]["time"]["sync_debug"]
        assert exact_lines(window) == {(row["file"], row["line"]) for row in rows}, window.name


@pytest.mark.parametrize(
    ("program", "lines"),
    [
        # The upload, the mask, the backward pass of the mask, and the read.
        ("small", {113, 115, 118, 120}),
        ("loop_over_items", {554, 555, 556, 558}),
        # Within the `backward` of a function of its own.
        ("wait_in_backward", {353}),
        # Uploads in an encoder that evaluates with a mask: CUDA alone heard them.
        ("values", {392, 396}),
    ],
)
def test_no_wait_is_left_without_its_line(recorded: Path, program: str, lines: set[int]) -> None:
    found = exact_lines(recorded.parent / "contact" / f"{program}.trace.json.gz")
    assert {line for _, line in found} == lines
