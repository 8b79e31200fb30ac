"""Windows of a real GPU: what is reported is what their rows, their sources and their witnesses say.

`gpu_windows.json` was written from the raw rows and the sources of the programs, without tbprof.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from recorded_witnesses import agreement, read_programs

from tbprof.model import Report, Site
from tbprof.report import build_report

DATA = Path(__file__).parents[1] / "data"
ARCHIVES = DATA / "gpu"
_EXPECTED = json.loads((DATA / "gpu_windows.json").read_text(encoding="utf-8"))
WINDOWS: dict[str, dict[str, Any]] = _EXPECTED["windows"]
EXCUSED: dict[str, str] = _EXPECTED["excused"]
"""Why a program may differ from its witnesses."""

UNKNOWN = "?"
"""In place of a line: none could be known, or none is reported."""

WAITS = {f"SYN{number:02}" for number in range(1, 11)}
"""Rules about a line that waits."""


@pytest.fixture(scope="session")
def archives() -> Path:
    if not ARCHIVES.is_dir():
        if os.environ.get("TBPROF_REQUIRE_TRACES") == "1":
            pytest.fail("TBPROF_REQUIRE_TRACES is set and tests/data/gpu is not there")
        pytest.skip("tests/data/gpu is not there: the source distribution leaves it out")
    return ARCHIVES


def report_of(name: str, archives: Path, folder: Path) -> Report:
    """The report of `ARCHIVE/PROGRAM`, whose window is the only one that is named so."""
    part, _, program = name.partition("/")
    with ZipFile(archives / f"{part}.zip") as archive:
        starts = (f"{program}.stacks.", f"{program}.trace.json")
        (member,) = [one for one in archive.namelist() if one.rpartition("/")[2].startswith(starts)]
        return build_report(Path(archive.extract(member, folder)))


def kind(site: Site) -> str:
    return f"{site.direction} {site.memory}" if site.direction else " ".join(site.calls)


def place(site: Site) -> str:
    """The line where it is exact, else the function that stacks name."""
    source = site.source
    if source is None or source.line is None:
        return UNKNOWN
    return str(source.line) if source.exact else source.function


def waits_of(report: Report) -> Counter[str]:
    waits: Counter[str] = Counter()
    for site in report.sites:
        waits[f"{place(site)} {kind(site)}"] += site.blocking
    return +waits


def unknown(waits: Counter[str]) -> Counter[str]:
    """The same without their places."""
    kinds: Counter[str] = Counter()
    for wait, count in waits.items():
        kinds[f"{UNKNOWN} {wait.partition(' ')[2]}"] += count
    return kinds


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_is_reported_as_its_rows_say(name: str, archives: Path, tmp_path: Path) -> None:
    expected = WINDOWS[name]
    report = report_of(name, archives, tmp_path)
    kernels, launches = expected["kernels"], expected.get("launches", expected["kernels"])
    steps = [(step.kernels or 0, step.launches or 0) for step in report.steps]
    assert steps == [(kernels, launches)] * expected["steps"]
    copies = [[copy.direction, copy.memory, copy.count, copy.bytes, copy.blocking] for copy in report.copies]
    assert sorted(copies) == expected["copies"]
    assert set(expected.get("finds", ())) <= {finding.rule for finding in report.findings}
    if not expected["waits"]:
        assert [finding.rule for finding in report.findings if finding.rule in WAITS] == []


@pytest.mark.parametrize("name", WINDOWS)
def test_every_wait_is_reported_and_none_at_a_wrong_line(name: str, archives: Path, tmp_path: Path) -> None:
    expected, found = Counter(WINDOWS[name]["waits"]), waits_of(report_of(name, archives, tmp_path))
    assert unknown(found) == unknown(expected)
    elsewhere = found - expected
    without_line = elsewhere & unknown(elsewhere)
    # Any place may be right where none could be known.
    assert unknown(elsewhere - without_line) - expected == Counter(), "at a line that did not wait"
    assert without_line.total() <= WINDOWS[name].get("without_line", 0)


def test_all_programs_wait_as_often_as_two_witnesses_saw(archives: Path, tmp_path: Path) -> None:
    for part in ("programs", "stacks"):
        with ZipFile(archives / f"{part}.zip") as archive:
            archive.extractall(tmp_path)
    agreements = {program.name: agreement(program) for program in read_programs(tmp_path / "programs")}
    assert len(agreements) >= 30
    disagreeing = {
        name
        for name, told in agreements.items()
        if not told.found == told.witnessed == told.points_agreed or told.trace_only
    }
    assert disagreeing <= EXCUSED.keys()
