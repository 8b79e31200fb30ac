"""A program that takes every exception as nothing, or has an alarm of its own, ends all the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

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


def command(tmp_path: Path, program: str, *options: str) -> list[str]:
    (tmp_path / "training.py").write_text(program)
    return [sys.executable, "-m", "tbprof.preflight", "--format", "json", *options, "training.py"]


def run(tmp_path: Path, program: str, *options: str) -> tuple[int, Any]:
    ended = subprocess.run(
        command(tmp_path, program, *options), cwd=tmp_path, capture_output=True, timeout=120, check=False
    )
    return ended.returncode, json.loads(ended.stdout)


def test_the_time_limit_ends_it_with_what_was_found(tmp_path: Path) -> None:
    code, report = run(tmp_path, DEAF, "--time-limit", "1", "--fail-on", "scalar-read")
    assert report["preflight"]["ending"] == "out_of_time"
    assert [site["source"]["line"] for site in report["sites"]] == [7]
    assert code == 1


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="Windows has no alarms")
@pytest.mark.parametrize("waits", ["time.sleep(600)", "while True: time.sleep(0.1)"], ids=["once", "often"])
def test_the_time_limit_ends_a_program_with_an_alarm_of_its_own(tmp_path: Path, waits: str) -> None:
    code, report = run(tmp_path, WITH_AN_ALARM.format(waits=waits), "--time-limit", "1")
    assert report["preflight"]["ending"] == "out_of_time"
    assert code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_sigterm_ends_it_with_what_was_found(tmp_path: Path) -> None:
    with subprocess.Popen(
        command(tmp_path, DEAF), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
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
    assert process.returncode == 2
