"""`tbprof report FOLDER` where memory ran out, before the first window or after it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from memory_file_scene import FAILED, FAILURE

from tbprof.cli.main import main

SAMPLE = Path(__file__).parents[3] / "logs/samples/h100_transformer_clean/dc3b_3169006.pt.trace.json.gz"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that failed before its first window."""
    folder = tmp_path / "logs" / "run"
    folder.mkdir(parents=True)
    (folder / FAILURE).write_text(json.dumps(FAILED))
    return folder


def test_a_run_without_a_window_tells_where_memory_ran_out(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(run.parent)]) == 0
    said = capsys.readouterr()
    assert said.out.startswith(f"{run / FAILURE}\n")
    assert "of GPU 0 could not be allocated" in said.out
    assert said.err == ""


def test_it_stands_behind_the_windows(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(SAMPLE, run)
    assert main(["report", "--no-cache", str(run)]) == 0
    text = capsys.readouterr().out
    assert 0 < text.index("dc3b_3169006") < text.index("could not be allocated")


def test_a_step_that_was_followed_is_named_behind_the_windows(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / FAILURE).unlink()
    step = run / "w.1752215573993169008.memory_step.json"
    step.write_text("{}")
    shutil.copy(SAMPLE, run)
    assert main(["report", "--no-cache", str(run)]) == 0
    assert capsys.readouterr().out.endswith(f"by kind, module and line: tbprof report {step}\n")


def test_as_json(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--format", "json", str(run)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["reports"] == []
    assert [one["asked_bytes"] for one in said["out_of_memory"]] == [FAILED["asked_bytes"]]
    (run / FAILURE).unlink()
    shutil.copy(SAMPLE, run)
    assert main(["report", "--no-cache", "--format", "json", str(run)]) == 0
    assert json.loads(capsys.readouterr().out)["out_of_memory"] == []


def test_ranks_that_failed_together_are_named(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for rank in range(6):
        (run / f"w_rank{rank}.5.out_of_memory.json").write_text(json.dumps(FAILED))
    assert main(["report", str(run)]) == 0
    text = capsys.readouterr().out
    assert text.count("could not be allocated") == 4
    assert text.count("tbprof report prints it") == 3


def test_a_damaged_file_is_said_and_the_others_are_printed(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run / "w.9.out_of_memory.json").write_text("{")
    assert main(["report", str(run)]) == 0
    said = capsys.readouterr()
    assert "it is damaged" in said.err
    assert "could not be allocated" in said.out


@pytest.mark.parametrize(
    "option", [["--fail-on", "high"], ["--summary"], ["--top", "1"], ["--format", "html"]]
)
def test_what_judges_or_compares_windows_needs_one(
    run: Path, option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", *option, str(run)]) == 2
    assert "there is no trace or report to read" in capsys.readouterr().err
