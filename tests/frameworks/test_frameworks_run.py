"""Programs of other frameworks, unedited: the same losses, and a window at the expected steps."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

from tbprof.report import looks_like_trace
from tbprof.store.discovery import Discovery
from tbprof.store.windows import read_report

PROGRAMS = pathlib.Path(__file__).parent
PATIENCE_S = 240


def run(command: list[str], folder: pathlib.Path) -> str:
    # What a framework warns of is its own matter.
    environment = {**os.environ, "TBPROF_SPOOL": str(folder / "spool"), "HF_HUB_OFFLINE": "1"}
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert ended.returncode == 0, ended.stderr
    losses = re.findall(r"^loss \d+\.\d+$", ended.stdout, re.MULTILINE)
    assert losses, ended.stdout
    return str(losses[0])


@pytest.mark.parametrize("framework", ["transformers", "lightning"])
def test_an_unedited_program_is_recorded_and_learns_the_same(framework: str, tmp_path: pathlib.Path) -> None:
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed: it is in the extra `frameworks`")
    program = [str(PROGRAMS / f"{framework}_program.py"), str(tmp_path / "out")]
    bare = run([sys.executable, *program], tmp_path)
    logdir = tmp_path / "logs"
    tbprof_run = [sys.executable, "-m", "tbprof", "run", "--logdir", str(logdir), *program]
    assert run(tbprof_run, tmp_path) == bare
    [window] = Discovery(logdir, looks_like_trace).find().windows
    assert window.report_path is not None
    report = read_report(window.report_path)
    assert report.facts is not None
    # 10 steps are left alone, 3 warm up, 5 are recorded.
    assert (report.facts.first_step, report.facts.recorded_steps) == (13, 5)
    assert len(report.steps) == 5
