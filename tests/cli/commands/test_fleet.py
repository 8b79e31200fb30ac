"""`tbprof fleet`: all runs of a log directory."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from fleet_runs import put_fleet
from job_scenes import LATE, write_job, write_job_that_loses_ranks

from tbprof.cli.main import main
from tbprof.store import windows


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["fleet", *map(str, arguments)]) == 0
    return capsys.readouterr().out


@pytest.fixture
def logdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    put_fleet(tmp_path / "logs")
    return tmp_path / "logs"


def test_all_forms_tell_the_same_runs(capsys: pytest.CaptureFixture[str], logdir: Path) -> None:
    runs = ["team/run1", "team/run2", "raw"]
    text = printed(capsys, logdir)
    assert [line.split()[0] for line in text.splitlines()[4:] if not line.startswith(" ")] == runs
    assert "    ! bbbbbbbbbb added" in text
    found = json.loads(printed(capsys, logdir, "--format", "json"))
    assert [row["run"] for row in found["runs"]] == runs
    rows = list(csv.DictReader(io.StringIO(printed(capsys, logdir, "--format", "csv"))))
    assert [row["run"] for row in rows] == runs
    assert float(rows[0]["top_gpu_h"]) == found["runs"][0]["top_gpu_h"]
    assert "| `team/run2` |" in printed(capsys, logdir, "--format", "markdown")


@pytest.mark.parametrize("columns", [80, 120, 200])
def test_text_is_as_wide_as_the_terminal_and_whole(
    capsys: pytest.CaptureFixture[str], logdir: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    long = logdir / "team" / "-".join(["a_run_with_a_name_of_many_parts"] * 3)
    shutil.copytree(logdir / "team" / "run1", long)
    monkeypatch.setenv("COLUMNS", str(columns))
    text = printed(capsys, logdir)
    lines = text.splitlines()
    in_words_only = [line for line in lines if long.name not in line and str(logdir) not in line]
    assert max(map(len, in_words_only)) <= columns
    assert f"team/{long.name}" in text
    head = next(line for line in lines if line.startswith("run "))
    # A name too long for its column has a line of its own.
    named = (line for line in lines if line.startswith(("raw ", "team/run")))
    figures = [line for line in named if len(line.split()) > 1]
    assert {len(line) for line in figures} == {len(head)}


def test_no_report_is_read_twice(
    capsys: pytest.CaptureFixture[str], logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = printed(capsys, logdir / "team")
    read = []
    real = windows.decode_report
    monkeypatch.setattr(windows, "decode_report", lambda *a, **k: read.append(k["name"]) or real(*a, **k))
    assert printed(capsys, logdir / "team") == first
    assert read == []
    newest = max((logdir / "team" / "run1").glob("*.pb"))
    newest.write_bytes(newest.read_bytes())
    assert printed(capsys, logdir / "team") == first
    assert read == [str(newest)]


def test_damaged_and_missing_ranks_are_named_in_all_forms(
    capsys: pytest.CaptureFixture[str], logdir: Path
) -> None:
    write_job_that_loses_ranks(logdir / "job")
    for path in (logdir / "job").glob("*rank1*"):
        path.unlink()
    [row] = json.loads(printed(capsys, logdir / "job", "--format", "json"))["runs"]
    damaged, missing = "Damaged: rank 2, the trace ends early.", "Not recorded: rank 1."
    assert row["state"] == "ready"
    assert damaged in row["problem"]
    assert missing in row["problem"]
    for form in ("text", "csv", "markdown"):
        told = printed(capsys, logdir / "job", "--format", form)
        assert damaged in told
        assert missing in told


def test_a_search_that_finds_nothing_and_a_folder_without_runs_are_told_apart(
    capsys: pytest.CaptureFixture[str], logdir: Path, tmp_path: Path
) -> None:
    assert printed(capsys, logdir, "--search", "price").startswith("No run has all of these words")
    (tmp_path / "empty").mkdir()
    assert main(["fleet", str(tmp_path / "empty")]) == 2
    assert "name another folder" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["fleet"], ["report", "--summary"]])
def test_a_job_begins_with_what_its_own_page_says(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: list[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_job(tmp_path / "logs" / "run", 3)
    assert main(["job", str(tmp_path / "logs" / "run"), "--format", "json"]) == 0
    job = json.loads(capsys.readouterr().out)
    for _ in range(2):
        assert main([*command, str(tmp_path / "logs"), "--format", "json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)["runs"]
        assert row["job"] == job["verdict"]
        assert (row["is_of_job"], row["top_rule"]) == (True, "DAT01")
        assert row["top_action"] == f"On rank {LATE}: set `num_workers=4`, as the loader has none"
        assert f"_rank{LATE}" in row["worker"]
        # As much as the job's own plan says, on all of its GPUs.
        (fix,) = job["fix_plan"]
        gained = fix["estimate_us"] / job["step_us"]
        assert row["top_gpu_h"] == pytest.approx(gained * row["gpus"] * 24)


def test_a_run_whose_ranks_lack_the_newest_window_is_no_job_of_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write_job_that_loses_ranks(tmp_path / "logs" / "run")
    found = json.loads(printed(capsys, tmp_path / "logs", "--format", "json", "--no-cache"))
    assert [row["job"] for row in found["runs"]] == [""]
