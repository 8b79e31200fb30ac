"""The tab's answers about all runs, and the process that they come from."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fleet_runs import FIRST_NS, HOUR_NS, put_fleet
from job_scenes import write_job
from timeouts import PATIENCE_S

from tbprof.plugin.routes.fleet_answers import Summaries
from tbprof.plugin.worker.kept import Kept
from tbprof.plugin.worker.pool import Pool
from tbprof.store.discovery import Discovery


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def answered(tab: Any, **parameters: str) -> Any:
    """Once no window is being read."""
    deadline = time.monotonic() + PATIENCE_S
    while (answer := tab.get("fleet", **parameters).json)["reading"]:
        assert time.monotonic() < deadline, "the reports were not read in time"
        time.sleep(0.05)
    return answer


def test_runs_are_sorted_searched_paged_and_sent_as_csv(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    put_fleet(tmp_path / "logs")
    tab = open_tab(str(tmp_path / "logs"))
    answer = answered(tab)
    assert [(row["run"], row["state"]) for row in answer["rows"]] == [
        ("team/run1", "ready"),
        ("team/run2", "ready"),
        ("raw", "broken"),
    ]
    assert answered(tab, sort="run", order="back")["rows"][0]["run"] == "team/run2"
    found = answered(tab, search="late_metrics", **{"from": "1"})
    assert (found["found"], found["total"], found["rows"]) == (1, 3, [])
    table = tab.get("fleet.csv", search="late_metrics")
    assert table.content_type.startswith("text/csv")
    assert [line.split(",")[0] for line in table.text.splitlines()] == ["run", "team/run2"]
    assert tab.get("fleet", sort="price").status_code == 400
    assert tab.get("fleet", **{"from": "-1"}).status_code == 400


@pytest.mark.slow
def test_a_job_begins_with_what_its_own_page_says(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    write_job(tmp_path / "logs" / "run", 3)
    tab = open_tab(str(tmp_path / "logs"))
    (row,) = answered(tab)["rows"]
    page = tab.get("job", run="run").json["page"]
    assert row["job"] == page["verdict"]
    late = next(rank for rank in page["ranks"] if rank["role"]["order"])
    assert row["worker"] == late["worker"]
    assert row["top_rule"] in late["role"]["answered_by"]
    # Another server reads no report for it.
    other = open_tab(str(tmp_path / "logs"))
    assert other.get("fleet").json["rows"] == [row]


def test_another_server_begins_with_what_was_kept(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    put_fleet(tmp_path / "logs")
    (tmp_path / "logs" / "raw" / "broken.pt.trace.json").unlink()
    first = answered(open_tab(str(tmp_path / "logs")))
    second = open_tab(str(tmp_path / "logs"))
    assert second.get("fleet").json == first
    assert second.plugin.worker_pids() == ()


def test_a_report_that_ends_the_process_costs_itself_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    put_fleet(tmp_path / "logs")
    windows = Discovery(tmp_path / "logs" / "team", lambda _: True).find().windows
    monkeypatch.setenv("TBPROF_TEST_ENDS_AT", Path(windows[0].report_path or "").name)
    monkeypatch.setattr("tbprof.plugin.worker.pool.REPORT_READER", "crashing_summaries")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "support"))
    pool = Pool(Kept())
    summaries = Summaries("logs", pool)
    try:
        deadline = time.monotonic() + PATIENCE_S
        while (found := summaries.of(windows))[1]:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        pool.close()
    known = [found[0][window.report_path or ""] for window in windows]
    assert "ended" in known[0].problem
    assert all(one.summary is not None for one in known[1:])


def test_a_run_that_was_opened_has_figures_though_nothing_can_be_kept(
    open_tab: Callable[..., Any], logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/cache")
    tab = open_tab(str(logdir))
    tab.window("run", "w", "w.1752215573993169006.pt.trace.json.gz")
    assert [row["state"] for row in answered(tab)["rows"]] == ["ready"]


def put_traces(logdir: Path, number: int) -> None:
    """So many runs of one trace each, the last one the newest."""
    content = gzip.decompress(next((logdir / "run").glob("*.json.gz")).read_bytes())
    for at in range(number):
        run = logdir.parent / "many" / f"run{at}"
        run.mkdir(parents=True)
        time_ns = FIRST_NS + at * HOUR_NS
        # Other content each: what was read once is not read again.
        (run / f"w.{time_ns}.pt.trace.json.gz").write_bytes(gzip.compress(content + b" " * at))


def test_traces_that_nobody_opens_are_read_newest_first(open_tab: Callable[..., Any], logdir: Path) -> None:
    put_traces(logdir, 6)
    tab = open_tab(str(logdir.parent / "many"))
    seen: list[str] = []
    deadline = time.monotonic() + PATIENCE_S
    while (answer := tab.get("fleet", sort="recorded").json)["reading"]:
        assert time.monotonic() < deadline
        assert answer["windows"] == 6
        seen += [row["run"] for row in answer["rows"] if row["state"] == "ready" and row["run"] not in seen]
        time.sleep(0.01)
    assert {row["state"] for row in answered(tab)["rows"]} == {"ready"}
    assert "run0" not in seen[:2]


@pytest.mark.slow
def test_reading_is_stopped_and_goes_on(open_tab: Callable[..., Any], logdir: Path) -> None:
    put_traces(logdir, 12)
    tab = open_tab(str(logdir.parent / "many"))
    stopped = tab.get("fleet", traces="stop").json
    assert (stopped["is_stopped"], stopped["reading"]) == (True, 12)
    time.sleep(3)
    later = tab.get("fleet").json
    assert (later["is_stopped"], later["reading"]) == (True, 12)
    assert tab.get("fleet", traces="read").json["is_stopped"] is False
    assert answered(tab)["reading"] == 0
    assert tab.get("fleet", traces="now").status_code == 400


def test_a_server_sees_what_a_terminal_has_read_since(open_tab: Callable[..., Any], logdir: Path) -> None:
    put_traces(logdir, 3)
    tab = open_tab(str(logdir.parent / "many"))
    tab.get("fleet", traces="stop")
    command = [sys.executable, "-m", "tbprof", "fleet", str(logdir.parent / "many")]
    subprocess.run(command, check=True, capture_output=True)
    deadline = time.monotonic() + PATIENCE_S
    while {row["state"] for row in tab.get("fleet").json["rows"]} != {"ready"}:
        assert time.monotonic() < deadline
        time.sleep(0.1)
