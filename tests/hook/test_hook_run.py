"""A program that knows nothing of the hook, run with it: the same output, the same end, and a window."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import os, sys
import torch

print(sys.argv, __name__, __file__, os.path.basename(sys.path[0]))
weights = torch.ones(4, requires_grad=True)
optimizer, other = torch.optim.SGD([weights], lr=0.1), torch.optim.SGD([weights], lr=0.1)
for step in range(20):
    loss = (weights ** 2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    other.step()
    print(loss.item())
"""
ENDINGS = {
    "with a sentence": "sys.exit('no more data')",
    "with an exception": "def fail():\n    raise ValueError('broken')\nfail()",
    "with a signal": "import signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(9)",
}


def start(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
    )


def start_both(folder: Path, program: str) -> list[subprocess.CompletedProcess[str]]:
    """A program alone, and run with the hook meanwhile."""
    (folder / "train.py").write_text(program)
    hook = ("-m", "tbprof", "run")
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda how: start(folder, *how, "train.py", "--lr", "3"), ((), hook)))


def theirs(stderr: str) -> list[str]:
    """The lines of stderr that are neither ours nor Kineto's."""
    ours = ("tbprof: ", "USDT:")
    return [line for line in stderr.splitlines() if not line.startswith(ours)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_it_prints_and_ends_as_it_does_alone(tmp_path: Path, ending: str) -> None:
    alone, watched = start_both(tmp_path, PROGRAM + ENDINGS[ending])
    assert watched.stdout == alone.stdout
    assert watched.returncode == alone.returncode
    assert theirs(watched.stderr) == theirs(alone.stderr)


def test_the_steps_of_its_first_optimizer_become_a_window(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    done = start(tmp_path, "-m", "tbprof", "run", "--skip-first", "4", "--active", "2", "train.py")
    assert "tbprof: " in done.stderr
    assert list((tmp_path / "logs" / "train").glob("*.tbprof.pb")) or "Still being published" in done.stderr


def test_a_run_can_be_given_for_torch_s_callbacks_and_nobody_is_left_in_them(tmp_path: Path) -> None:
    listening = "from torch.cuda._gpu_trace import DeviceSynchronizationCallbacks as called"
    (tmp_path / "train.py").write_text(f"{PROGRAM}\n{listening}\nprint(called.callback_list)\n")
    short = ("run", "--skip-first", "4", "--active", "2")
    done = start(tmp_path, "-m", "tbprof", *short, "--sync-callbacks", "train.py")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "[]"
    assert "window 0" in done.stderr or "Still being published" in done.stderr


def test_a_module_is_run_as_python_does(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    (package / "train.py").write_text("import sys\nprint(__name__, __package__, sys.argv[1:], sys.path[0])\n")
    alone = start(tmp_path, "-m", "package.train", "--lr", "3")
    watched = start(tmp_path, "-m", "tbprof", "run", "-m", "package.train", "--lr", "3")
    assert watched.stdout == alone.stdout
    assert "No window was recorded: step() was never called" in watched.stderr


def test_a_script_that_is_not_there_is_said(tmp_path: Path) -> None:
    done = start(tmp_path, "-m", "tbprof", "run", "nothing.py")
    assert done.returncode == 2
    assert "nothing.py is no file" in done.stderr
    assert "Traceback" not in done.stderr
