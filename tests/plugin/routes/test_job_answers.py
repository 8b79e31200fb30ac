"""The job of a run, asked through TensorBoard's own application."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from job_scenes import LATE, write_job
from patience import PATIENCE_S

OpenTab = Callable[..., Any]


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """Three ranks, the last of which is cut off."""
    *_, last = write_job(tmp_path / "logs" / "run", 3)
    last.write_bytes(last.read_bytes()[:40])
    return tmp_path / "logs"


def test_ranks_are_read_and_compared_and_a_damaged_one_is_named(open_tab: OpenTab, job: Path) -> None:
    tab = open_tab(str(job))
    deadline = time.monotonic() + PATIENCE_S
    while (answer := tab.get("job", run="run").json)["state"] == "reading":
        assert answer["sentence"].endswith("of 3 ranks read.")
        assert time.monotonic() < deadline, "the traces were not read in time"
        time.sleep(0.05)
    page = answer["page"]
    assert (answer["window"], answer["windows"], len(page["ranks"])) == (1, 1, 2)
    assert page["late"][0]["rank"] == LATE
    assert [problem["rank"] for problem in page["problems"]] == [2]
    assert str(job) not in str(answer)


def test_a_run_that_is_not_there_is_said(open_tab: OpenTab, job: Path) -> None:
    assert open_tab(str(job)).get("job", run="elsewhere").status_code == 404
