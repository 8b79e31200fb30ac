"""A program that puts another one in the place of its process is told, and not lost without a word."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from script_runner import Ended, ScriptRunner

pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows starts another process instead")

REPLACED = """
import os, sys
import torch

torch.ones(2, device="cuda").sum().item()
os.{call}
"""

FORKED = """
import os, sys
import torch

torch.ones(2, device="cuda").sum().item()
child = os.fork()
if not child:
    os.execv(sys.executable, [sys.executable, "-c", "raise SystemExit(7)"])
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)
"""


def run(processes: ScriptRunner, folder: Path, program: str) -> Ended:
    (folder / "training.py").write_text(program)
    return processes.run(["-m", "tbprof.preflight", "--format", "json", "training.py"], folder, os.environ)


@pytest.mark.parametrize(
    "call",
    [
        "execv(sys.executable, [sys.executable, 'other.py'])",
        "execve(sys.executable, ['python', 'other.py'], {})",
        "execlp('python3', 'python3', 'other.py')",
    ],
    ids=["execv", "execve", "execlp"],
)
def test_it_ends_there_with_what_was_found(processes: ScriptRunner, tmp_path: Path, call: str) -> None:
    ended = run(processes, tmp_path, REPLACED.format(call=call))
    report = json.loads(ended.stdout)
    assert ended.exit_code == 2
    assert report["preflight"]["ending"] == "not_supported"
    assert "other.py`; run preflight on that one" in report["preflight"]["error"]
    assert len(report["sites"]) == 1


def test_a_fork_may_become_another_program(processes: ScriptRunner, tmp_path: Path) -> None:
    ended = run(processes, tmp_path, FORKED)
    assert "child 7" in ended.stderr
    assert ended.exit_code == 0
