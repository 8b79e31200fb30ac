"""`tbprof ab` and `tbprof verify` as commands: real programs that wait for a known time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from timeouts import PATIENCE_S

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow

TRAINING = """
import sys, time, torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(8, 8).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range({steps}):
    time.sleep({wait})
    {line}
    loss = model(torch.randn(4, 8).to(device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def training(*, steps: int = 100_000, wait: float = 0.01, line: str = "pass") -> str:
    return TRAINING.format(steps=steps, wait=wait, line=line)


@dataclass(frozen=True)
class Folder:
    path: Path
    temporary: Path

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(self.temporary)}
        return subprocess.Popen(
            [sys.executable, "-m", "tbprof", *arguments, "--force"],
            cwd=self.path,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> tuple[int, str, str]:
        process = self.start(*arguments)
        said, complained = process.communicate(timeout=4 * PATIENCE_S)
        self.check_nothing_is_left()
        return process.returncode, said, complained

    def check_nothing_is_left(self) -> None:
        assert list(self.temporary.iterdir()) == []
        assert sides_of_processes(self.temporary) == []
        listed = subprocess.run(
            ["git", "worktree", "list"], cwd=self.path, capture_output=True, text=True, check=False
        )
        assert len(listed.stdout.splitlines()) <= 1


def sides_of_processes(temporary: Path) -> list[int]:
    """Those whose environment names the temporary folder, stopped ones too."""
    found = []
    for file in Path("/proc").glob("[0-9]*/environ"):
        try:
            if os.fsencode(temporary) in file.read_bytes():
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path / "project", tmp_path / "temporary")
    made.path.mkdir()
    made.temporary.mkdir()
    return made


SHORT = ("--no-proof", "--max-minutes", "0.1")


@pytest.mark.exhaustive
def test_revisions_one_of_which_waits_less(folder: Folder) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.com"]
    for wait in (0.02, 0.012):
        folder.write("train.py", training(wait=wait))
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "A change"]):
            subprocess.run([*git, *command], cwd=folder.path, check=True)
    code, said, complained = folder.run(
        "ab", "HEAD~1", "HEAD", "train.py", "--format", "json", "--max-minutes", "0.2"
    )
    assert code == 0, complained
    outcome = json.loads(said)
    assert (outcome["schema"], outcome["verdict"]) == (1, "faster")
    assert "samples equal, parameters identical" in outcome["sentence"]
    low, high = outcome["interval"]
    # By 8 ms of 20 ms and what a step computes, whatever others do to that.
    assert 0.5 < low < outcome["ratio"] < high < 0.9
    before, after = outcome["step_us"]
    assert before > after > 12_000
    assert min(outcome["cold_us"]) > before
    assert min(outcome["peak_bytes"]) > 50e6
    assert outcome["noise"] < 0.2
    assert outcome["samples_per_second"][0] == pytest.approx(4e6 / before)
    assert sum(part["share"] for part in outcome["why"]) == pytest.approx(1, abs=0.01)
    assert "A/A: the program differs from itself by up to" in complained


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "if step == 12: raise ValueError('no')",
            "ended by exit code 1 after 1 steps or more: ValueError: no",
        ),
        (
            "time.sleep(1000 * (step == 12))",
            "did not come to the end of its turn within 40 s, after 1 steps or more",
        ),
        ("sys.exit()", "took no step: --step-on names what ends one, if no optimizer does"),
        ("os._exit(0)", "ended by exit code 0 in its first step: it said nothing"),
    ],
    ids=("crashes", "hangs", "takes no step", "leaves"),
)
def test_programs_that_do_not_go_on(folder: Folder, line: str, sentence: str) -> None:
    folder.write("train.py", f"import os\n{training(line=line)}")
    code, said, complained = folder.run("ab", "train.py", "train.py", *SHORT, "--time-limit", "40")
    assert (code, said) == (2, "")
    assert sentence in complained


def test_another_number_of_steps_is_different_work(folder: Folder) -> None:
    folder.write("before.py", training(steps=100_000))
    folder.write("after.py", training(steps=9))
    code, said, _ = folder.run("ab", "before.py", "after.py", *SHORT)
    assert code == 3
    assert said.startswith("before.py -> after.py: different work\nThe program takes at least ")
    assert "steps before the change and 9 after it" in said


def test_a_timer_that_is_replaced_is_suspect(folder: Folder) -> None:
    odd = "time.perf_counter = lambda: 0.0; assert sys.stdin.read() == ''; print('x' * 10_000)"
    folder.write("before.py", training())
    folder.write("after.py", training(line=odd))
    code, said, _ = folder.run("ab", "before.py", "after.py", *SHORT)
    assert code == 1
    assert said.splitlines()[1].startswith("after.py replaces time.perf_counter; what was measured says: ")


def test_another_result_ends_it(folder: Folder) -> None:
    folder.write("before.py", training())
    folder.write("after.py", training().replace("lr=0.01", "lr=0.02"))
    code, said, _ = folder.run("ab", "before.py", "after.py")
    assert code == 1
    assert said.startswith("before.py -> after.py: not equal\n")


CALLABLES = """
import time, torch
def quick(): time.sleep(0.005); return torch.ones(3)
def slow(): time.sleep(0.009); return torch.ones(3)
def other(): return torch.rand(3)
"""


@pytest.mark.exhaustive
def test_callables(folder: Folder) -> None:
    folder.write("work.py", CALLABLES)
    code, said, _ = folder.run(
        "ab", "work:quick", "work:slow", "--max-minutes", "0.1", "--format", "markdown"
    )
    assert code == 1
    assert said.startswith("**`tbprof ab`: slower.**")
    assert "results equal" in said
    code, said, _ = folder.run("ab", "work:quick", "work:other")
    assert (code, said.splitlines()[1][:5]) == (1, "work:")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ab", "nowhere", ".", "train.py"), "nowhere is neither a file nor a folder"),
        (("ab", "train.py", "missing.py"), "give two scripts"),
        (("ab", "train.py", "train.py", "--max-minutes", "0"), "give more than 0"),
        (("ab", "work:missing", "work:quick"), "has no attribute 'missing'"),
        (("verify", "train.py", "--line", "train.py:99"), "no statement begins there"),
        (("verify", "train.py", "--line", "other.py:1"), "give a line of a file of the program"),
        (
            ("verify", "train.py", "--line", "train.py:2", "--max-minutes", "0.1"),
            "only before or in the first",
        ),
        (("verify", "train.py", "--line", "train.py:12", "--max-minutes", "0.1"), "is reached never"),
    ],
)
def test_what_can_not_be_done(folder: Folder, arguments: tuple[str, ...], sentence: str) -> None:
    folder.write("train.py", training(line="if step < 0:\n        print(step)"))
    folder.write("work.py", CALLABLES)
    code, _, complained = folder.run(*arguments)
    assert code == 2
    assert sentence in complained


@pytest.mark.parametrize("at_s", [4, 8, 13])
def test_interrupted_nothing_is_left(folder: Folder, at_s: float) -> None:
    folder.write("train.py", training())
    process = folder.start(
        "ab", "train.py", "train.py", "--no-proof", "--precision", "0.01", "--negligible", "0.01"
    )
    time.sleep(at_s)
    process.send_signal(signal.SIGINT)
    said, complained = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, complained
    assert "train.py -> train.py: " in said or "interrupted" in complained
    folder.check_nothing_is_left()


def test_killed_it_leaves_no_process(folder: Folder) -> None:
    folder.write("train.py", training())
    process = folder.start("ab", "train.py", "train.py", "--no-proof")
    deadline = time.monotonic() + PATIENCE_S
    while "ok" not in {process.poll(), "ok" if len(sides_of_processes(folder.temporary)) > 2 else None}:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.kill()
    process.communicate()
    while sides_of_processes(folder.temporary):
        assert time.monotonic() < deadline
        time.sleep(0.1)


THREAD = """
import queue, threading
batches = queue.Queue(2)
def load():
    while True:
        time.sleep(0.002)
        batches.put(torch.ones(4, 8))
threading.Thread(target=load, daemon=True).start()
"""


def verified(folder: Folder, line: int, *arguments: str) -> dict[str, Any]:
    code, said, complained = folder.run(
        *("verify", "train.py", "--line", f"train.py:{line}", "--max-minutes", "0.5", "--format", "json"),
        *arguments,
    )
    assert code == 0, complained
    document: dict[str, Any] = json.loads(said)
    return document


@pytest.mark.exhaustive
def test_a_line_is_exposed_or_hidden(folder: Folder) -> None:
    head, loop = training(line="x = batches.get()").split("torch.set_num_threads(1)\n")
    source = f"{head}{THREAD}torch.set_num_threads(1)\n{loop}"
    folder.write("train.py", source)
    lines = source.splitlines()
    exposed = verified(folder, 1 + lines.index("    loss.backward()"))
    hidden = verified(folder, 1 + lines.index("        time.sleep(0.002)"))
    assert exposed["verdict"] == "exposed"
    assert exposed["interval"][0] < 1.1
    assert exposed["interval"][1] > 0.9
    assert exposed["cost_us"][1] <= exposed["line_us"]
    assert hidden["verdict"] == "hidden"
    assert len(hidden["sizes"]) == 3


def test_waits_change_no_value(folder: Folder) -> None:
    digest = "print(sum(p.double().sum().item() for p in model.parameters()).hex(), file=open({!r}, 'a'))"
    values = []
    for way, steps in {"alone": 2000, "verified": 10_000_000}.items():
        file = folder.path.parent / way
        folder.write("train.py", training(steps=steps, wait=0.0, line=digest.format(str(file))))
        if way == "verified":
            verified(folder, 14)
        else:
            subprocess.run([sys.executable, "train.py"], cwd=folder.path, check=True)
        values.append(file.read_text(encoding="utf-8").splitlines()[:2000])
    alone, delayed = values
    assert len(set(alone)) > 1000
    assert len(delayed) > 100
    assert delayed == alone[: len(delayed)]
