"""Ranks and trends: windows of a run side by side, asked through TensorBoard's own application."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from timeouts import PATIENCE_S

from tbprof.model import Window
from tbprof.plugin.routes.series_answers import figures_in
from tbprof.plugin.routes.window_figures_cache import Deadline, WindowFiguresCache
from tbprof.plugin.worker.kept import Kept
from tbprof.plugin.worker.reports import Reports
from tbprof.plugin.worker.window_messages import Part
from tbprof.report import build_report
from tbprof.store.codec import encode_report
from tbprof.views.series import WindowFigures
from tbprof.views.series_views import figures_of

OpenTab = Callable[..., Any]


@pytest.fixture
def series(tmp_path: Path, sample: Path) -> Path:
    """Two ranks with two windows each, and one rank with one."""
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    for rank, windows in ((0, 2), (1, 2), (2, 1)):
        for number in range(windows):
            name = f"node_{rank}_rank{rank}.175221557399316{number:04d}.pt.trace.json.gz"
            (run / name).write_bytes(sample.read_bytes())
    return tmp_path / "logs"


def answer(tab: Any, route: str, **parameters: str) -> Any:
    """The answer once no window is being read any more."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        shown = tab.get(route, **parameters).json
        if all(row["state"] != "reading" for row in shown["rows"]):
            return shown
        assert time.monotonic() < deadline, "the traces were not read in time"
        time.sleep(0.05)


def test_ranks_are_the_same_window_of_every_worker(open_tab: OpenTab, series: Path) -> None:
    tab = open_tab(str(series))
    assert [row["rank"] for row in answer(tab, "ranks", run="run", number="1")["rows"]] == [0, 1, 2]
    second = answer(tab, "ranks", run="run", number="2")["rows"]
    assert [(row["rank"], row["number"]) for row in second] == [(0, 2), (1, 2)]


def test_a_window_that_is_not_read_yet_says_so_and_is_read(open_tab: OpenTab, series: Path) -> None:
    tab = open_tab(str(series))
    first = tab.get("ranks", run="run", number="1").json["rows"]
    assert {row["state"] for row in first} == {"reading"}
    assert answer(tab, "ranks", run="run", number="1")["rows"][0]["figures"]["step_us"] > 0


def test_the_rest_of_the_ranks_can_be_had(open_tab: OpenTab, series: Path) -> None:
    tab = open_tab(str(series))
    answer(tab, "ranks", run="run", number="1")
    part = tab.get("ranks", run="run", number="1", **{"from": "1"}).json
    assert ([row["rank"] for row in part["rows"]], part["total"]) == ([1, 2], 3)


def test_ranks_that_did_not_change_are_not_looked_at_again(
    open_tab: OpenTab, series: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab(str(series))
    before = answer(tab, "ranks", run="run", number="1")
    asked: list[str] = []
    monkeypatch.setattr(WindowFiguresCache, "of", lambda *_: asked.append("figures"))
    assert tab.get("ranks", run="run", number="1").json == before
    assert asked == []


@pytest.mark.slow
def test_ranks_are_of_a_file_as_it_is_though_the_list_is_the_same(
    open_tab: OpenTab, series: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = open_tab(str(series))
    before = answer(tab, "ranks", run="run", number="1")
    monkeypatch.setattr("tbprof.plugin.routes.log_directory._FRESH_S", 3600.0)
    path = next((series / "run").glob("node_2*"))
    path.write_bytes(path.read_bytes()[:40])
    after = answer(tab, "ranks", run="run", number="1")
    assert [row["state"] for row in before["rows"]] == ["ready", "ready", "ready"]
    assert [row["state"] for row in after["rows"]] == ["ready", "ready", "broken"]


def test_a_run_that_is_looked_at_is_kept_whole_and_others_are_forgotten(
    reports: Reports, series: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    of_many = reports.of_many

    def note(ask: str, windows: Sequence[Window]) -> list[Part]:
        made.extend(window.run for window in windows)
        return of_many(ask, windows)

    monkeypatch.setattr(reports, "of_many", note)
    kept = WindowFiguresCache(reports, Kept(1), "figures", WindowFigures, figures_in)
    report = build_report(next((series / "run").glob("*.gz")))
    windows = []
    for run, worker in (("a", "w0"), ("a", "w1"), ("b", "w0")):
        stored = series / f"{run}{worker}.tbprof.pb"
        stored.write_bytes(encode_report(report, written_by="0.1"))
        windows.append(Window(run, worker, stored.name, 1, None, str(stored), 0))
    for asked in (windows[:2], windows[:2], windows[2:], windows[:2]):
        assert kept.of(asked, Deadline()) == [figures_of(report)] * len(asked)
    assert made == ["a", "a", "b", "a", "a"]


def test_a_trend_has_the_windows_of_one_worker(open_tab: OpenTab, series: Path) -> None:
    worker = open_tab(str(series)).runs()["runs"][0]["workers"][0]["worker"]
    shown = answer(open_tab(str(series)), "trend", run="run", worker=worker)
    assert [row["number"] for row in shown["rows"]] == [1, 2]
    assert shown["left_out"] == 0


def test_a_broken_window_is_a_row_with_its_reason(open_tab: OpenTab, series: Path) -> None:
    broken = next((series / "run").glob("node_2*"))
    broken.write_bytes(broken.read_bytes()[:40])
    rows = answer(open_tab(str(series)), "ranks", run="run", number="1")["rows"]
    assert [row["state"] for row in rows] == ["ready", "ready", "broken"]
    assert rows[2]["problem"]


@pytest.mark.parametrize(
    ("route", "parameters", "status"),
    [
        ("ranks", {"run": "elsewhere"}, 404),
        ("ranks", {"run": "run", "number": "0"}, 400),
        ("ranks", {"run": "run", "number": "-1"}, 400),
        ("ranks", {"run": "run", "number": "1", "from": "-1"}, 400),
        ("trend", {"run": "run", "worker": "nobody"}, 404),
        ("trend", {}, 404),
    ],
)
def test_what_is_not_there_is_said(
    open_tab: OpenTab, series: Path, route: str, parameters: dict[str, str], status: int
) -> None:
    response = open_tab(str(series)).get(route, **parameters)
    assert response.status_code == status
    assert response.json["error"]
