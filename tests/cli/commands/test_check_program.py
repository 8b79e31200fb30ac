"""`tbprof check` of real programs: run without a GPU, and recorded by the hook."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import run_tbprof
from script_runner import ScriptRunner
from timeouts import PATIENCE_S

pytest.importorskip("torch")

PROGRAM = """
import sys

import torch
from torch import nn

DEVICE = sys.argv[1]


def train_step(model, optimizer):
    loss = model(torch.ones(8, 4, device=DEVICE)).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    total = loss.item()
    again = loss.item()
    silent = loss.item()  # tbprof: ignore[SYN01] printed once
    return total + again + silent


model = nn.Linear(4, 2).to(DEVICE)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    train_step(model, optimizer)
"""

MOVED = "# a line\n" * 40 + PROGRAM.replace("def train_step", "def other():\n    pass\n\n\ndef train_step")
"""The same function, 44 lines further down."""

THIRD = PROGRAM.replace("    return total", "    third = loss.item()\n    return third + total")


def check(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_tbprof("check", "--steps", "2", *arguments, program, "--", "cuda")


def answer(program: Path, *arguments: str) -> Any:
    ended = check(program, "--format", "json", *arguments)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def states(shown: Any) -> list[tuple[int, str]]:
    return [(row["found"]["line"], row["state"]) for row in shown["rows"]]


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What preflight finds in the program as it is, accepted."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
    path = folder / "accepted.json"
    ended = check(folder / "train.py", "--baseline", str(path), "--update-baseline")
    assert ended.returncode == 0, ended.stderr
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "order",
    [
        "PROGRAM --steps 2 --format json -- cuda --steps 9",
        "--steps 2 PROGRAM --format json -- cuda --steps 9",
        "--steps 2 --format json PROGRAM -- cuda --steps 9",
        "--steps 2 --format json -- PROGRAM cuda --steps 9",
    ],
)
def test_options_stand_on_either_side_of_the_program_and_its_arguments_behind_dashes(
    order: str, baseline: Path
) -> None:
    program = str(baseline.parent / "train.py")
    ended = run_tbprof("check", *(program if word == "PROGRAM" else word for word in order.split()))
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["rows"]


def test_two_reads_of_a_function_have_two_names_and_a_comment_silences_a_third(baseline: Path) -> None:
    accepted = json.loads(baseline.read_text(encoding="utf-8"))["findings"]
    assert [line["rule"] for line in accepted] == ["SYN01", "SYN01"]
    assert len({line["fingerprint"] for line in accepted}) == 2


def test_nothing_is_new_where_lines_are_put_above_or_the_checkout_is_elsewhere(
    baseline: Path, tmp_path: Path
) -> None:
    renamed = tmp_path / "another checkout"
    renamed.mkdir()
    (renamed / "train.py").write_text(MOVED, encoding="utf-8")
    shown = answer(renamed / "train.py", "--baseline", str(baseline), "--forbid", "new")
    assert shown["passed"] is True
    assert states(shown) == [(59, "accepted"), (60, "accepted"), (61, "suppressed")]
    assert shown["gone"] == []


@pytest.mark.exhaustive
def test_a_read_that_is_new_is_the_only_one(baseline: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(THIRD, encoding="utf-8")
    ended = check(tmp_path / "train.py", "--baseline", str(baseline), "--forbid", "new", "--format", "github")
    assert ended.returncode == 1
    (line,) = ended.stdout.splitlines()
    assert f"file={tmp_path / 'train.py'},line=18," in line


def test_a_program_that_fails_is_no_answer(tmp_path: Path) -> None:
    program = tmp_path / "broken.py"
    program.write_text("raise ValueError('no data')\n", encoding="utf-8")
    ended = check(program, "--forbid", "new")
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "is not whole" in ended.stderr.splitlines()[-1]


def record(processes: ScriptRunner, folder: Path, text: str) -> Path:
    """The log directory of the same program, run by the hook where there is no GPU."""
    folder.mkdir(exist_ok=True)
    program = folder / "train.py"
    program.write_text(text, encoding="utf-8")
    asked = ["-m", "tbprof.hook.run", "--skip-first", "1", "--active", "2", "--logdir", folder / "logs"]
    spool = {"TBPROF_SPOOL": str(folder / "spool")}
    done = processes.run([*asked, program, "cpu"], folder, {**os.environ, **spool}, limit_s=PATIENCE_S)
    assert done.exit_code == 0, done.stderr
    return folder / "logs"


@pytest.fixture(scope="module")
def recorded(processes: ScriptRunner, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the hook recorded of the program as it is."""
    return record(processes, tmp_path_factory.mktemp("recorded"), PROGRAM)


def answer_of(logdir: Path) -> Any:
    ended = run_tbprof("check", "--format", "json", logdir)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def test_names_of_recorded_lines_outlive_edits_and_are_those_of_preflight(
    baseline: Path, recorded: Path, processes: ScriptRunner, tmp_path: Path
) -> None:
    here, there = answer_of(recorded), answer_of(record(processes, tmp_path / "there", MOVED))
    assert states(here) == [(15, "new"), (16, "new"), (17, "suppressed")]
    assert states(there) == [(59, "new"), (60, "new"), (61, "suppressed")]
    prints = [[row["found"]["fingerprint"] for row in shown["rows"]] for shown in (here, there)]
    assert prints[0] == prints[1]
    accepted = json.loads(baseline.read_text(encoding="utf-8"))["findings"]
    assert {line["fingerprint"] for line in accepted} < set(prints[0])


SELDOM = PROGRAM.replace("def train_step", "TAKEN = []\n\n\ndef train_step").replace(
    "    return total",
    "    TAKEN.append(total)\n    if len(TAKEN) % 7 == 1:\n        print(loss.item())\n    return total",
)


def test_a_line_of_each_seventh_step_is_not_new_to_the_baseline_of_a_recording(
    processes: ScriptRunner, tmp_path: Path
) -> None:
    logdir = record(processes, tmp_path, SELDOM)
    kept = ("--baseline", str(tmp_path / "accepted.json"))
    assert run_tbprof("check", *kept, "--update-baseline", logdir).returncode == 0
    shown = answer(tmp_path / "train.py", *kept, "--forbid", "new")
    assert [(row["found"]["code"], row["state"]) for row in shown["rows"]] == [
        ("print(loss.item())", "unseen"),
        ("total = loss.item()", "accepted"),
        ("again = loss.item()", "accepted"),
        ("silent = loss.item()  # tbprof: ignore[SYN01] printed once", "suppressed"),
    ]


ABOVE = PROGRAM.replace("    total = loss.item()", "    first = 2 * loss.item()\n    total = loss.item()")


def test_a_read_above_an_accepted_one_is_the_new_one(baseline: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(ABOVE, encoding="utf-8")
    gate = ("--baseline", str(baseline), "--forbid", "new", "--format", "json")
    shown = json.loads(check(tmp_path / "train.py", *gate).stdout)
    assert shown["passed"] is False
    assert states(shown) == [(15, "new"), (16, "accepted"), (17, "accepted"), (18, "suppressed")]


def test_a_baseline_of_the_former_form_is_read_and_said_to_be_one(
    baseline: Path, recorded: Path, tmp_path: Path
) -> None:
    former = tmp_path / "accepted.json"
    document = json.loads(baseline.read_text(encoding="utf-8"))
    for number, line in enumerate(document["findings"]):
        del line["code"]
        line |= {"fingerprint": f"{number:016x}", "reason": "it was there"}
    former.write_text(json.dumps({"schema": 1, "findings": document["findings"]}), encoding="utf-8")
    ended = run_tbprof("check", "--baseline", former, "--forbid", "new", recorded)
    assert ended.returncode == 0, ended.stdout
    assert "the baseline is of an earlier form" in ended.stdout
    assert run_tbprof("check", "--baseline", former, "--update-baseline", recorded).returncode == 0
    renewed = json.loads(former.read_text(encoding="utf-8"))
    assert (renewed["schema"], {line["reason"] for line in renewed["findings"]}) == (2, {"it was there"})
    assert {line["fingerprint"] for line in renewed["findings"]} == {
        line["fingerprint"] for line in json.loads(baseline.read_text(encoding="utf-8"))["findings"]
    }


WITHOUT_STEPS = """
import torch

model = torch.nn.Linear(4, 2).to("cuda")
for _ in range(5):
    print(model.weight.sum().item())
"""


def test_nothing_is_said_of_a_step_where_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "sample.py").write_text(WITHOUT_STEPS, encoding="utf-8")
    ended = run_tbprof("check", "--forbid", "scalar_read", "--budget", "0", tmp_path / "sample.py")
    assert ended.returncode == 1
    assert "no step was seen: counts are those of the whole run" in ended.stdout
    assert "sample.py:6 <module> 5 in all" in ended.stdout
    assert "sync points in the whole run, 0 allowed" in ended.stdout
    assert "a step" not in ended.stdout


def test_a_baseline_that_is_not_there_is_said_before_the_program_runs(tmp_path: Path) -> None:
    program = tmp_path / "sample.py"
    program.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')", encoding="utf-8")
    ended = run_tbprof("check", "--baseline", tmp_path / "nothere.json", program)
    assert (ended.returncode, "there is no baseline" in ended.stderr) == (2, True)
    assert not (tmp_path / "ran").exists()


def test_arguments_of_the_program_are_told_their_place(tmp_path: Path) -> None:
    (tmp_path / "main.py").touch()
    ended = run_tbprof("check", "--forbid", "SYN", tmp_path / "main.py", "--batch-size", "16")
    assert ended.returncode == 2
    assert "unrecognized arguments: --batch-size 16; those of the program go after --" in ended.stderr


NEEDS_A_GPU = """
import torch, kernels

kernels.attention(torch.ones(1).cuda()).item()
"""

MACHINE_WITH_A_GPU = """
import sys

if "tbprof.preflight" in sys.orig_argv:
    import torch

    torch.cuda.is_available = lambda: True
"""


def test_what_preflight_needs_to_be_told_check_passes_on(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text("def attention(x):\n    raise RuntimeError('no GPU')\n", "utf-8")
    (tmp_path / "mine.py").write_text("def attention(x):\n    return x * 2\n", encoding="utf-8")
    (tmp_path / "train.py").write_text(NEEDS_A_GPU, encoding="utf-8")
    (tmp_path / "sitecustomize.py").write_text(MACHINE_WITH_A_GPU, encoding="utf-8")
    told = ("--stub", "kernels.attention=mine.attention", "--time-limit", "300")
    machine = {"PYTHONPATH": str(tmp_path)}
    refused = run_tbprof("check", *told, tmp_path / "train.py", environment=machine)
    assert (refused.returncode, "or give --force" in refused.stderr) == (2, True)
    ended = run_tbprof("check", "--force", *told, tmp_path / "train.py", environment=machine)
    assert ended.returncode == 0, ended.stderr
    assert "train.py:4" in ended.stdout
