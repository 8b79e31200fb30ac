"""The example workflow and the action that it uses, whose steps run here as on a pull request."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from timeouts import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = ROOT / "examples" / "preflight_workflow.yml"
ACTION = ROOT / ".github" / "actions" / "check"

PROGRAM = """
import sys
import torch

assert sys.argv[1:] == ["--config", "small.yaml"]
model = torch.nn.Linear(2, 2).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    loss = model(torch.ones(1, 2, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    {line}
"""
READS, RARELY, OTHER = (
    "print(loss.item())",
    "if step % 2:\n        print(loss.item())",
    "model.bias.data.zero_()",
)

GH = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in *--paginate*) echo "$KNOWN" ;; *PATCH*|*POST*) exit "$GH_CODE" ;; esac
"""


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    text = WORKFLOW.read_text(encoding="utf-8")
    given = re.findall(r"^          (\w+): ", text.partition("actions/check@")[2], re.MULTILINE)
    inputs = re.findall(
        r"^  (\w+):$", (ACTION / "action.yml").read_text(encoding="utf-8").partition("runs:")[0], re.MULTILINE
    )
    assert "script" in given
    assert set(given) <= set(inputs)
    assert len(text.splitlines()) < 40


@pytest.fixture
def pull_request(tmp_path: Path) -> Path:
    """A checkout whose base is `origin/main`, and a `gh` that writes down how it is called."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    commit(folder, READS)
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in {"gh": GH, "tbprof": f'#!/bin/sh\nexec {sys.executable} -m tbprof "$@"\n'}.items():
        (tools / name).write_text(text, encoding="utf-8")
        (tools / name).chmod(0o755)
    return folder


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=n", "-c", "user.email=n@example.com"]
    subprocess.run(["git", "-C", str(folder), *name, *arguments], check=True)


def commit(folder: Path, line: str) -> None:
    (folder / "train.py").write_text(PROGRAM.format(line=line), encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "train.py"], ["commit", "-qm", "A change"]):
        git(folder, *arguments)


def checked(folder: Path, *, known: str = "", gh_code: int = 0) -> subprocess.CompletedProcess[str]:
    """What the action does on the machine of a workflow."""
    beside = folder.parent
    variables = {
        "PATH": f"{beside / 'tools'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "SCRIPT": "train.py",
        "ARGUMENTS": "--config small.yaml",
        "POLICY": "new",
        "BASELINE": ".tbprof.json",
        "BASE": "origin/main",
        "PULL_REQUEST": "7",
        "GITHUB_REPOSITORY": "a/b",
        "KNOWN": known,
        **{name: str(beside / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "CALLS")},
        "GH_CODE": str(gh_code),
    }
    return subprocess.run(
        ["bash", str(ACTION / "check.sh")],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="preflight is for machines without a GPU")
@pytest.mark.parametrize(
    ("line", "verdict", "code"), [(RARELY, "proved", 1), (OTHER, "not equal", 1)], ids=["mended", "wrong"]
)
def test_a_pull_request_gets_findings_a_proof_and_one_comment(
    pull_request: Path, line: str, verdict: str, code: int
) -> None:
    pytest.importorskip("torch")
    commit(pull_request, line)
    ended = checked(pull_request)
    assert ended.returncode == code, ended.stderr
    beside = pull_request.parent
    (log,) = json.loads((pull_request / "tbprof.sarif").read_text(encoding="utf-8"))["runs"]
    found = [result["ruleId"] for result in log["results"]]
    assert found == (["SYN01"] if line == RARELY else [])
    assert ended.stdout.count("::error file=train.py,line=13,title=tbprof SYN01::") == len(found)
    assert (beside / "GITHUB_OUTPUT").read_text() == f"verdict={verdict}\n"
    summary = (beside / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")
    assert summary.startswith("<!-- tbprof -->\n### tbprof: ")
    assert f"**`tbprof prove`: {verdict}.**" in summary
    assert "--method POST repos/a/b/issues/7/comments -F body=@comment.md" in (beside / "CALLS").read_text()


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="preflight is for machines without a GPU")
def test_accepted_lines_pass_and_the_comment_that_is_there_is_written_again(pull_request: Path) -> None:
    pytest.importorskip("torch")
    commit(pull_request, RARELY)
    accept = "tbprof preflight --format json train.py -- --config small.yaml > p.json"
    update = "tbprof check p.json --baseline .tbprof.json --update-baseline"
    path = f"{pull_request.parent / 'tools'}:{os.environ['PATH']}"
    subprocess.run(
        ["sh", "-c", f"{accept} && {update}"],
        cwd=pull_request,
        check=True,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
    )
    ended = checked(pull_request, known="42", gh_code=1)
    assert ended.returncode == 0, ended.stderr
    assert "PATCH repos/a/b/issues/comments/42" in (pull_request.parent / "CALLS").read_text()
    assert "::warning::tbprof could not write its comment" in ended.stdout
