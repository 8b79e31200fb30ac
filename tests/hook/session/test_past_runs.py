"""What earlier runs left is said to who asks for their log directory."""

from __future__ import annotations

from pathlib import Path

import pytest

import tbprof
from tbprof.hook.doctor import past_problems
from tbprof.hook.processes import process_name
from tbprof.hook.run_summary import RUN_WARNINGS_PREFIX
from tbprof.hook.spool import SpoolFolder, facts_path, spools_of


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


def killed(spool: Path, run: Path) -> Path:
    """The spool of a process that is gone: this one, started later."""
    name, _, started = process_name().rpartition("-")
    folder = spools_of(spool, run) / f"{name}-{int(started) + 1}"
    folder.mkdir(parents=True)
    return folder


def test_where_nothing_went_wrong_nothing_is_said(logs: Path) -> None:
    assert list(past_problems(logs)) == []


def test_runs_below_the_folder_are_asked_for_even_where_it_was_never_made(logs: Path, tmp_path: Path) -> None:
    for run in (logs / "one", tmp_path / "elsewhere"):
        tbprof.TrainerHook(run).close()
    (said,) = past_problems(logs)
    assert said.startswith(f"{logs / 'one'}, run that ended 20")
    assert "No window was recorded: step() was never called" in said


def test_windows_of_a_killed_run_are_counted(logs: Path, spool: Path) -> None:
    (logs / "one").mkdir(parents=True)
    folder = killed(spool, logs / "one")
    for name in ("w.1", "w.2", "w.3"):
        trace = folder / f"{name}.pt.trace.json"
        trace.write_text("{}")
        if name != "w.3":
            facts_path(trace).write_text("{}")
    assert list(past_problems(logs)) == [
        f"{logs / 'one'}: windows that were never published: 2; tbprof publish {logs / 'one'}",
        f"{logs / 'one'}: windows whose process ended while they were written: 1.",
    ]


def test_windows_of_a_run_that_goes_on_are_nobodys_fault(logs: Path, spool: Path) -> None:
    held = SpoolFolder(logs, spool)
    (held.path / "w.1.pt.trace.json").write_text("{}")
    assert list(past_problems(logs)) == []
    held.leave()


@pytest.mark.parametrize("text", ["", '{"logdir": "', "[]", '{"logdir": 3, "said": []}'])
def test_half_a_file_is_left_out(logs: Path, spool: Path, text: str) -> None:
    folder = spools_of(spool, logs)
    folder.mkdir(parents=True)
    (folder / f"{RUN_WARNINGS_PREFIX}host.json").write_text(text)
    assert list(past_problems(logs)) == []
