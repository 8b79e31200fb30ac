"""Findings that are gone: what their fixes were predicted to save beside what unprofiled steps say."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scenes
from hook_scenes import hook_facts, report_with
from trace_builder import TraceBuilder

from tbprof.calibration import append_pair, held_on
from tbprof.cli.comparison_text import compared_text
from tbprof.model import LoaderFacts, Report, Window
from tbprof.store.codec import encode_report
from tbprof.views.comparison import compare_view
from tbprof.views.fixes_made import fixes_made, plan_of
from tbprof.views.series_views import figures_of, series_row, trend_view

BATCHES = LoaderFacts("Images", 32, 4, True, 2, False)


def window(built: TraceBuilder, step_us: float, commit: str = "a", **other: Any) -> Report:
    step_ns = int(1000 * step_us)
    known = {"unprofiled_step_ns": step_ns, "unprofiled_quartiles_ns": (step_ns - 10_000, step_ns + 10_000)}
    return report_with(hook_facts(**{"git_commit": commit, "loaders": (BATCHES,), **known, **other}), built)


def without_read() -> TraceBuilder:
    """Two launches a step, and no wait."""
    built = TraceBuilder()
    for number in range(4):
        start = 700 * number
        built.step(number, start, start + 700)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 420))
        built.launch(start + 300, start + 305, runs=(start + 425, start + 515))
    return built


BEFORE, AFTER = window(scenes.host_bound(), 1000), window(without_read(), 700, "b")


def trend(*reports: Report) -> str:
    rows = [
        series_row(Window("run", "w", f"w.{at}", at, "x", None, 1), at, figures_of(report))
        for at, report in enumerate(reports, start=1)
    ]
    return trend_view(rows, 0).detail


def test_what_was_predicted_stands_beside_what_was_measured() -> None:
    made = fixes_made(plan_of(BEFORE), plan_of(AFTER))
    assert made is not None
    assert made.measured_us == 300
    gone = [finding for finding in BEFORE.findings if finding.saving is not None]
    assert any(gone[0].rule in name for name in made.names)
    assert 0 <= made.predicted_us[0] <= made.predicted_us[1] <= 1000
    assert "and without the profiler a step takes 0.3\u202fms less, give or take 14\u202fµs" in made.sentence
    assert made.sentence in compare_view(BEFORE, AFTER).detail


@pytest.mark.parametrize(
    ("step_us", "said"),
    [
        (1004, "takes 4\u202fµs more, within the noise of 14\u202fµs"),
        (1300, "0.3\u202fms more, give or take 14\u202fµs"),
    ],
)
def test_a_fix_that_wins_nothing_is_said_as_that(step_us: float, said: str) -> None:
    assert said in compare_view(BEFORE, window(without_read(), step_us, "b")).detail


@pytest.mark.parametrize(
    "other",
    [
        {"loaders": (dataclasses.replace(BATCHES, batch_size=64),)},
        {"phase": "inference"},
        {"unprofiled_step_ns": None},
        {"unprofiled_quartiles_ns": ()},
    ],
    ids=str,
)
def test_other_work_and_few_steps_are_not_compared(other: dict[str, Any]) -> None:
    assert fixes_made(plan_of(BEFORE), plan_of(window(without_read(), 700, "b", **other))) is None


def test_work_that_nobody_saw_is_not_taken_for_the_same() -> None:
    before, after = (
        window(built(), 700, at, loaders=()) for built, at in ((scenes.host_bound, "a"), (without_read, "b"))
    )
    assert fixes_made(plan_of(before), plan_of(after)) is None


@pytest.mark.parametrize("built", [scenes.host_bound, scenes.nearly_gpu_bound, scenes.gpu_bound])
def test_what_still_waits_is_not_fixed_though_its_finding_went(built: Callable[[], TraceBuilder]) -> None:
    assert fixes_made(plan_of(BEFORE), plan_of(window(built(), 700, "b"))) is None


def test_a_trend_names_fixes_where_the_commit_changed() -> None:
    assert "Window 3: " in trend(BEFORE, BEFORE, AFTER, AFTER)
    assert "gone: the plan said" not in trend(BEFORE, window(without_read(), 700, "a"))


def test_a_clear_difference_is_kept_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    paths = []
    for name, report in (("before", BEFORE), ("after", AFTER)):
        named = dataclasses.replace(
            report, trace=dataclasses.replace(report.trace, path=f"{name}.pt.trace.json")
        )
        path = tmp_path / f"{name}.tbprof.pb"
        path.write_bytes(encode_report(named, written_by="0"))
        paths.append(path)
    for _ in range(2):
        assert "gone: the plan said" in compared_text(*paths, use_cache=False)
    [kept] = (tmp_path / "cache").rglob("calibration.jsonl")
    [line] = map(json.loads, kept.read_text().splitlines())
    assert line["measured_us"][0] < 300 < line["measured_us"][1]
    for number in range(9):
        append_pair({**line, "windows": [str(number), "after"]}, kept)
    assert held_on(line["device"], kept) in ((0, 10), (10, 10))
