"""`tbprof preflight`: its exit codes, its two formats, and what it makes of programs that end badly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from script_runner import ScriptRunner

pytest.importorskip("torch")

from tbprof.preflight import command, session
from tbprof.preflight.command import run as main
from tbprof.preflight.patches.all_patches import PATCHES, installed

TRAINING = """
import sys
import torch

model = torch.nn.Linear(2, 1).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(int(sys.argv[1])):
    loss = model(torch.ones(1, 2, device="cuda")).sum()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
    norm = model.weight.norm().item()  # tbprof: ignore[SYN01] watched in this test
"""


@dataclass(frozen=True)
class Ended:
    returncode: int
    stdout: str
    stderr: str


class Run(Protocol):
    def __call__(self, *arguments: str) -> Ended: ...


@pytest.fixture
def preflight(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The command, in this process."""

    def run(*arguments: str) -> Ended:
        with monkeypatch.context() as patched:
            # What running a program as the main one changes.
            patched.setattr(sys, "argv", sys.argv[:])
            patched.setattr(sys, "path", ["", *sys.path])
            patched.setitem(sys.modules, "__main__", sys.modules["__main__"])
            try:
                code = main(arguments)
            except SystemExit as refused:
                code = int(str(refused.code))
        return Ended(code, *capfd.readouterr())

    return run


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("program") / "train.py"
    program.write_text(TRAINING, encoding="utf-8")
    return program


def test_json_is_the_object_of_a_report(training: Path) -> None:
    command = [sys.executable, "-m", "tbprof", "preflight", "--format", "json", "--budget", "1"]
    ended = subprocess.run(
        [*command, str(training), "--", "9"], capture_output=True, text=True, check=False, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    assert "loss" in ended.stderr
    told = json.loads(ended.stdout)
    assert (told["predicted"], told["trace"], told["preflight"]["ending"]) == (True, None, "stopped")
    assert [(step["name"], step["cold"]) for step in told["steps"]] == [
        ("step 1", True),
        ("step 2", False),
        ("step 3", False),
        ("step 4", False),
    ]
    reads = [site for site in told["sites"] if site["kind"] == "scalar_read"]
    # After the last optimizer step nothing runs, so that each step has one read of the step before it.
    assert [site["per_step"] for site in reads] == [[0, 1, 1, 1], [0, 1, 1, 1]]
    assert {site["source"]["file"] for site in reads} == {"train.py"}
    first, second = told["findings"]
    assert (first["suppressed"], second["suppressed"]) == (None, "watched in this test")
    assert first["fingerprint"] != second["fingerprint"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--fail-on", "scalar-read"), 1),
        (("--fail-on", "race,upload"), 0),
        (("--budget", "0"), 1),
        (("--fail-on", "weather"), 2),
    ],
)
def test_the_exit_code_is_what_was_asked_for(
    training: Path, preflight: Run, arguments: tuple[str, ...], code: int
) -> None:
    ended = preflight(*arguments, str(training), "--", "9")
    assert ended.returncode == code, ended.stderr


def test_text_names_the_line_and_says_what_it_is(training: Path, preflight: Run) -> None:
    ended = preflight(str(training), "2")
    assert ended.returncode == 0
    assert "predicted, no GPU was used" in ended.stdout
    assert "train.py:11 in <module>  scalar read  [SYN01]" in ended.stdout
    assert "1 suppressed" in ended.stdout


@pytest.mark.parametrize(
    ("last_line", "sentence"),
    [
        ("raise ValueError('no data')", "the program failed: ValueError: no data"),
        ("sys.exit(3)", "the program failed: SystemExit: 3"),
        ("import triton_kernels", "the program failed: ModuleNotFoundError"),
        ("torch.cuda.CUDAGraph()", "can't record CUDA graphs"),
        ("torch.histogram(model.weight.half(), 3)", "has no kernel for the CPU"),
        ("from torch.distributed.fsdp import FullyShardedDataParallel as F; F(model)", "can't run FSDP"),
    ],
)
def test_what_was_found_until_a_bad_end_is_printed(
    tmp_path: Path, preflight: Run, last_line: str, sentence: str
) -> None:
    program = tmp_path / "train.py"
    program.write_text(TRAINING + last_line + "\n", encoding="utf-8")
    ended = preflight(str(program), "2")
    assert ended.returncode == 2
    assert "train.py:11" in ended.stdout
    assert sentence in ended.stdout


def test_a_function_is_put_in_place_of_one_that_needs_a_gpu(
    tmp_path: Path, preflight: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.py").write_text("def attention(x):\n    raise RuntimeError('no GPU')\n", "utf-8")
    (tmp_path / "mine.py").write_text("def attention(x):\n    return x * 2\n", encoding="utf-8")
    program = tmp_path / "train.py"
    program.write_text("import torch, kernels\nkernels.attention(torch.ones(1).cuda())\n", encoding="utf-8")
    assert preflight(str(program)).returncode == 2
    ended = preflight("--stub", "kernels.attention=mine.attention", str(program))
    assert ended.returncode == 0, ended.stderr
    missing = preflight("--stub", "kernels.attention=mine.nothing", str(program))
    assert (missing.returncode, "can't be imported" in missing.stderr) == (2, True)


def test_a_torch_that_is_not_understood_is_refused(
    tmp_path: Path, preflight: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "train.py"
    program.write_text("pass\n", encoding="utf-8")
    without_truth = tuple(patch for patch in PATCHES if patch.name != "__bool__")
    monkeypatch.setattr(session, "installed", lambda *_: installed(without_truth))
    ended = preflight(str(program))
    assert (ended.returncode, "does not understand torch" in ended.stderr) == (3, True), ended.stderr


def test_a_module_is_run_as_python_runs_it(
    training: Path, preflight: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(training.parent)
    ended = preflight("-m", "train", "2")
    assert (ended.returncode, "train.py:11 in <module>  scalar read" in ended.stdout) == (0, True)


BY_HAND = """
import sys
import torch
import torch.multiprocessing as mp

def train_step(total):
    return total.add_(torch.ones((), device="cuda")).item()

class Loop:
    @staticmethod
    def once(total):
        return train_step(total)

def train(rank=0):
    total = torch.zeros((), device="cuda")
    for _ in range(9):
        Loop.once(total)

if __name__ == "__main__":
    if sys.argv[1] == "here":
        train()
    elif sys.argv[1] == "fork":
        child = mp.get_context("fork").Process(target=train)
        child.start()
        child.join()
    else:
        mp.spawn(train, nprocs=1)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("__main__:train_step", "here"),
        ("__main__:train_step", "fork"),
        ("__main__:Loop.once", "fork"),
        ("__main__:Loop.once", "mp.spawn"),
        pytest.param("__main__:train_step", "mp.spawn", marks=pytest.mark.exhaustive),
        pytest.param("__main__:Loop.once", "here", marks=pytest.mark.exhaustive),
    ],
)
def test_a_step_is_what_a_function_of_the_script_does(
    processes: ScriptRunner, tmp_path: Path, name: str, how: str
) -> None:
    (tmp_path / "train.py").write_text(BY_HAND, encoding="utf-8")
    command = ["-m", "tbprof.preflight", "--step-on", name, "train.py", how]
    ended = processes.run(command, tmp_path, os.environ)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.splitlines()[0].endswith("3 steps)")
    assert "    1 a step, " in ended.stdout


def test_a_function_that_the_script_does_not_define_is_refused(training: Path, preflight: Run) -> None:
    refused = preflight("--step-on", "__main__:fit", str(training), "9")
    assert (refused.returncode, refused.stderr) == (2, f"tbprof: {training} defines no fit\n")
    refused = preflight("--step-on", "__main__:fit", "-m", "train", "9")
    assert (refused.returncode, "with -m, name the function's module" in refused.stderr) == (2, True)


def test_a_machine_with_a_gpu_is_told_to_record_there(
    training: Path, preflight: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    refused = preflight(str(training), "--", "9")
    assert refused.returncode == 2
    assert "this machine has a GPU" in refused.stderr
    assert refused.stdout == ""
    assert preflight("--force", "--budget", "9", str(training), "--", "9").returncode == 0


@pytest.mark.parametrize(
    ("given", "steps", "behind"),
    [
        ("train.py --steps 2 -- --lr 1", 2, ["--lr", "1"]),
        ("--steps 2 train.py --format json -- cuda -- x", 2, ["cuda", "--", "x"]),
        ("train.py --lr 1 -- x", 3, ["--lr", "1", "--", "x"]),
        ("train.py --steps all -- x", 3, ["--steps", "all", "--", "x"]),
        ("train.py cuda -- x", 3, ["cuda", "--", "x"]),
    ],
)
def test_what_stands_before_the_dashes_is_preflights_where_all_of_it_is(
    given: str, steps: int, behind: list[str]
) -> None:
    options = command._options(command._parser(), given.split())
    assert (options.program, options.steps, options.arguments) == ("train.py", steps, behind)
