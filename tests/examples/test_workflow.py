"""The example workflow: every command in it is one that tbprof has, and does what it says."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "examples" / "preflight_workflow.yml"

PROGRAM = """
import sys
import torch

assert sys.argv[1:] == ["--config", "small.yaml"]
model = torch.nn.Linear(2, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    loss = model(torch.ones(1, 2, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    print(loss.item())
"""


def commands() -> list[str]:
    lines = WORKFLOW.read_text(encoding="utf-8").splitlines()
    steps = [line.strip().removeprefix("- ").removeprefix("run: ") for line in lines]
    return [step for step in steps if step.startswith("tbprof ")]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """As a shell runs it, with the `>` of the example."""
    words, _, target = command.partition(" > ")
    ended = subprocess.run(
        [sys.executable, "-m", *shlex.split(words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    if target:
        (folder / target).write_text(ended.stdout, encoding="utf-8")
    return ended


def test_it_is_short() -> None:
    assert len(WORKFLOW.read_text(encoding="utf-8").splitlines()) < 40


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="preflight is for machines without a GPU")
def test_a_new_line_is_uploaded_and_fails_the_build(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / ".tbprof.json").write_text('{"schema": 1, "findings": []}', encoding="utf-8")
    predict, upload, _, judge = commands()
    assert run(predict, tmp_path).returncode == 0
    assert run(upload, tmp_path).returncode == 0
    (log,) = json.loads((tmp_path / "tbprof.sarif").read_text(encoding="utf-8"))["runs"]
    assert [result["ruleId"] for result in log["results"]] == ["SYN01"]
    judged = run(judge, tmp_path)
    assert judged.returncode == 1
    assert judged.stdout.startswith("::error file=train.py,line=12,title=tbprof SYN01::")


def test_the_change_is_proved(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    mended = PROGRAM.replace("for _ in", "for step in").replace(
        "    print", "    if step % 2:\n        print"
    )
    git = ["git", "-C", str(tmp_path), "-c", "user.name=n", "-c", "user.email=n@example.com"]
    for source in (PROGRAM, mended):
        (tmp_path / "train.py").write_text(source, encoding="utf-8")
        for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "A change"]):
            subprocess.run([*git, *arguments], check=True)
        if source == PROGRAM:
            subprocess.run([*git, "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
    _, _, prove, _ = commands()
    ended = run(prove, tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "proof.md").read_text(encoding="utf-8").startswith("**`tbprof prove`: proved.**")
