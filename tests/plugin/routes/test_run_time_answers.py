"""The time of whole runs, asked through TensorBoard's own application, and printed by the commands."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from run_time_scene import FIRST, SECOND, put_run_times
from source_scene import known_training

from tbprof.cli.main import main
from tbprof.store.codec import encode_report

OpenTab = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that started twice, with a report."""
    folder = tmp_path / "logs" / "run"
    put_run_times(folder, FIRST, SECOND)
    window = folder / "node1_17_rank0.1752215573993169006.tbprof.pb"
    window.write_bytes(encode_report(known_training(), written_by="0.1"))
    return folder


def test_the_tab_and_the_report_say_the_same_and_what_is_damaged(
    open_tab: OpenTab, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "node1_9_rank3.1752210000000000000.run_time.json").write_text('{"schema": 1, "end": "closed"}')
    (run / "hostile.1.run_time.json").write_bytes(b"[" * 100_000)
    shown = open_tab(str(run.parent)).get("run_time", run="run").json
    assert main(["report", "--format", "json", str(run)]) == 0
    printed = capsys.readouterr()
    said = json.loads(printed.out)["run_time"]
    assert said == {**shown, "problems": []}
    assert len(shown["problems"]) == 2 == printed.err.count("does not tell where the time of a run went")
    assert {"steps", "idle", "restart"} <= {row["part"] for row in shown["parts"]}


def test_a_run_of_which_nothing_was_noted_shows_nothing(open_tab: OpenTab, run: Path) -> None:
    for path in run.glob("*.run_time.json"):
        path.unlink()
    assert open_tab(str(run.parent)).get("run_time", run="run").json["headline"] == ""


def test_all_runs_have_their_goodput(
    open_tab: OpenTab, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tab = open_tab(str(run.parent))
    ends = time.monotonic() + 30
    while (row := tab.get("fleet").json["rows"][0])["goodput"] is None and time.monotonic() < ends:
        time.sleep(0.1)
    assert row["goodput"] == pytest.approx(0.6)
    assert main(["fleet", "--format", "json", "--no-cache", str(run.parent)]) == 0
    assert json.loads(capsys.readouterr().out)["runs"][0]["goodput"] == pytest.approx(0.6)


def test_a_report_begins_with_it_where_more_is_lost_than_in_steps(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def printed(*arguments: str) -> str:
        assert main(["report", *arguments]) == 0
        return capsys.readouterr().out

    assert printed(str(run)).startswith("Of 10.0 h since the start")
    [later] = run.glob("node1_17_*.run_time.json")
    later.unlink()
    assert "\nOf 4.0 h since the start" in printed(str(run))
    [file] = run.glob("node1_7_*.run_time.json")
    text = printed(str(file))
    assert text.startswith("Of 4.0 h since the start, 75 % were steps as usual")
    assert "train.py:212 evaluate" in text
