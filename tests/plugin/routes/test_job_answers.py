"""The job of a run, asked through TensorBoard's own application."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from job_scenes import LATE, write_job, write_job_that_loses_ranks
from timeouts import PATIENCE_S

from tbprof.cli.main import main

OpenTab = Callable[..., Any]


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Three ranks, the last of which is cut off."""
    *_, last = write_job(tmp_path / "logs" / "run", 3)
    last.write_bytes(last.read_bytes()[:40])
    return tmp_path / "logs"


def test_ranks_are_read_and_compared_and_a_damaged_one_is_named(open_tab: OpenTab, job: Path) -> None:
    answer = _read(open_tab(str(job)))
    page = answer["page"]
    assert (answer["window"], answer["windows"], len(page["ranks"])) == (1, 1, 2)
    assert page["late"][0]["rank"] == LATE
    assert [problem["rank"] for problem in page["problems"]] == [2]
    assert str(job) not in str(answer)


def test_a_run_that_is_not_there_is_said(open_tab: OpenTab, job: Path) -> None:
    assert open_tab(str(job)).get("job", run="elsewhere").status_code == 404


def test_a_newer_window_that_some_rank_lacks_is_named(open_tab: OpenTab, tmp_path: Path) -> None:
    write_job_that_loses_ranks(tmp_path / "logs" / "run")
    tab = open_tab(str(tmp_path / "logs"))
    # The window of the one that is damaged is read after those that are shown.
    _read(tab, number="3")
    answer = _read(tab)
    assert (answer["window"], answer["windows"]) == (2, 3)
    assert answer["page"]["notes"][0] == (
        "Window 2 of 3 is shown, the last that all ranks have: of window 3, the newest, rank 1 has none, "
        "and that of rank 2 is damaged."
    )
    assert answer["page"]["late"][0]["rank"] == LATE
    assert "the newest" not in str(_read(tab, number="1"))


def test_of_a_rank_that_is_being_read_it_is_not_said_that_it_was_not_recorded(
    open_tab: OpenTab, tmp_path: Path
) -> None:
    run = tmp_path / "logs" / "run"
    write_job(run, 3)
    assert main(["report", str(run), "--store", "--summary", "--no-cache"]) == 0
    next(run.glob("node_1_*.tbprof.pb")).unlink()
    answer = open_tab(str(tmp_path / "logs")).get("job", run="run").json
    assert (answer["state"], answer["sentence"]) == ("reading", "2 of 3 ranks read.")
    page = answer["page"]
    assert (page["missing"], page["notes"]) == ([], [])
    assert page["verdict"].startswith("The 2 ranks compared of 3")


def _read(tab: Any, **parameters: str) -> Any:
    """The answer when all ranks are read."""
    deadline = time.monotonic() + PATIENCE_S
    while (answer := tab.get("job", run="run", **parameters).json)["state"] == "reading":
        assert answer["sentence"].endswith(" ranks read.")
        assert time.monotonic() < deadline, "the traces were not read in time"
        time.sleep(0.05)
    return answer
