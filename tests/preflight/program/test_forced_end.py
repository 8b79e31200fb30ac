"""A program that takes every exception as nothing, or has an alarm of its own, ends all the same."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest
from script_runner import ScriptRunner

pytest.importorskip("torch")

DEAF = """
import sys
import torch

while True:
    try:
        torch.ones(2, device="cuda").sum().item()
        print("read", file=sys.stderr, flush=True)
    except BaseException:
        pass
"""

WITH_AN_ALARM = """
import signal, time

signal.signal(signal.SIGALRM, lambda *_: None)
{waits}
"""


class Run(Protocol):
    def __call__(self, program: str, *options: str) -> tuple[int | None, Any]: ...


def command(folder: Path, program: str, *options: str) -> list[object]:
    (folder / "training.py").write_text(program)
    return ["-m", "tbprof.preflight", "--format", "json", *options, "training.py"]


@pytest.fixture
def run(processes: ScriptRunner, tmp_path: Path) -> Run:
    """The command, run on a program of this source."""

    def run(program: str, *options: str) -> tuple[int | None, Any]:
        ended = processes.run(command(tmp_path, program, *options), tmp_path, os.environ)
        return ended.exit_code, json.loads(ended.stdout)

    return run


def test_the_time_limit_ends_it_with_what_was_found(run: Run) -> None:
    code, report = run(DEAF, "--time-limit", "1", "--fail-on", "scalar-read")
    assert report["preflight"]["ending"] == "out_of_time"
    assert [site["source"]["line"] for site in report["sites"]] == [7]
    assert code == 1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="Windows has no alarms")
@pytest.mark.parametrize("waits", ["time.sleep(600)", "while True: time.sleep(0.1)"], ids=["once", "often"])
def test_the_time_limit_ends_a_program_with_an_alarm_of_its_own(run: Run, waits: str) -> None:
    code, report = run(WITH_AN_ALARM.format(waits=waits), "--time-limit", "1")
    assert report["preflight"]["ending"] == "out_of_time"
    assert code == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_sigterm_ends_it_with_what_was_found(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, *map(str, command(tmp_path, DEAF))],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stderr is not None
            assert process.stderr.readline() == b"read\n"
            process.terminate()
            stdout, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    report = json.loads(stdout)
    assert report["preflight"]["ending"] == "interrupted"
    assert [site["source"]["line"] for site in report["sites"]] == [7]
    assert process.returncode == 130
