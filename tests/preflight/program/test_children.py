"""Processes that a program starts: watched, put together, and never a reason for a quiet exit 0."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

import pytest
from script_runner import Ended, ScriptRunner
from timeouts import PATIENCE_S

pytest.importorskip("torch")

HOGWILD = """
import sys
import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def train(rank, dataset, ends_badly):
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(50):
        for x, y in DataLoader(dataset, batch_size=8, num_workers=1):
            loss = (model(x.to(device)) - y.to(device)).square().mean()
            loss.backward()
            optimizer.step()
            print(rank, loss.item())
            if ends_badly:
                raise ValueError("no such data")


if __name__ == "__main__":
    how, ends_badly = sys.argv[1], sys.argv[2:] == ["badly"]
    dataset = TensorDataset(torch.randn(16, 4), torch.randn(16, 2))
    if how == "mp.spawn":
        mp.spawn(train, args=(dataset, ends_badly), nprocs=2)
    else:
        context = mp.get_context(how)
        processes = [context.Process(target=train, args=(rank, dataset, ends_badly)) for rank in range(2)]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    print("evaluate", torch.ones(2, device=device).sum().item())
"""

UPLOADS, READ = 15, 18


class Run(Protocol):
    def __call__(self, source: str, *arguments: str) -> Ended: ...


@pytest.fixture
def preflight(processes: ScriptRunner, tmp_path: Path) -> Run:
    """The command, run on a program of this source."""

    def run(source: str, *arguments: str) -> Ended:
        (tmp_path / "train.py").write_text(source, encoding="utf-8")
        command = ["-m", "tbprof.preflight", tmp_path / "train.py", *arguments]
        return processes.run(command, tmp_path, os.environ, limit_s=PATIENCE_S)

    return run


# That a child of `mp.spawn` is watched and stopped is seen in test_command.py, too.
SPAWNED = [pytest.param(how, marks=pytest.mark.exhaustive) for how in ("spawn", "mp.spawn")]


@pytest.mark.parametrize("how", ["fork", *SPAWNED])
def test_children_are_watched_and_stopped_and_so_is_their_parent(preflight: Run, how: str) -> None:
    ended = preflight(HOGWILD, how)
    assert ended.exit_code == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0].endswith("3 steps)")
    named = {line.split()[0] for line in lines if line.startswith("train.py:")}
    assert named == {f"train.py:{UPLOADS}", f"train.py:{READ}"}
    assert "evaluate" not in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("how", ["fork", pytest.param("mp.spawn", marks=pytest.mark.exhaustive)])
def test_a_child_that_fails_is_no_green_build(preflight: Run, how: str) -> None:
    ended = preflight(HOGWILD, how, "badly")
    assert ended.exit_code == 2
    assert "ValueError: no such data" in ended.stdout.splitlines()[-1]
    assert f"train.py:{UPLOADS}" in ended.stdout


KILLED = """
import os, signal
import torch
import torch.multiprocessing as mp

def die():
    os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    child = mp.get_context("fork").Process(target=die)
    child.start()
    child.join()
"""


def test_a_child_that_dies_without_a_word_is_told_of(preflight: Run) -> None:
    ended = preflight(KILLED)
    assert ended.exit_code == 2
    assert "exit code -9" in ended.stdout


POOL = """
import torch
import torch.multiprocessing as mp

def twice(value):
    return 2 * torch.tensor(float(value), device="cuda").item()

if __name__ == "__main__":
    with mp.get_context("fork").Pool(2) as pool:
        pool.map(twice, range(4))
    print(torch.ones(2, device="cuda").sum().item())
"""


def test_a_pool_that_the_program_ends_has_not_failed(preflight: Run) -> None:
    ended = preflight(POOL)
    assert (ended.exit_code, "scalar read" in ended.stdout) == (0, True), ended.stderr


def test_a_pool_that_is_closed_says_all_that_it_found(preflight: Run) -> None:
    closed = POOL.replace("range(4))\n", "range(4))\n        pool.close()\n        pool.join()\n")
    ended = preflight(closed)
    assert ended.exit_code == 0, ended.stderr
    assert "train.py:6 in twice  scalar read  [SYN01]\n    4 in all" in ended.stdout


TERMINATED = """
import sys, time
import torch
import torch.multiprocessing as mp

def wait(ready, swallowed):
    torch.ones(2, device="cuda").sum().item()
    while True:
        try:
            # Inside, since the signal that it asks for may come before the next line.
            ready.set()
            time.sleep(600)
        except BaseException:
            swallowed -= 1
            if swallowed < 0:
                raise

if __name__ == "__main__":
    context = mp.get_context("fork")
    at_once, swallowed = sys.argv[1] == "at once", int(sys.argv[2])
    for _ in range(50 if at_once else 1):
        ready = context.Event()
        child = context.Process(target=wait, args=(ready, swallowed))
        child.start()
        if not at_once:
            ready.wait()
        child.terminate()
        child.join()
        print("ended by", -child.exitcode)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("swallowed", [0, 1])
def test_a_child_that_is_terminated_says_what_it_found(preflight: Run, swallowed: int) -> None:
    ended = preflight(TERMINATED, "later", str(swallowed))
    assert ended.exit_code == 0, ended.stderr
    assert f"ended by {signal.SIGTERM}" in ended.stderr
    assert "train.py:7 in wait  scalar read" in ended.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_a_child_that_is_terminated_as_it_starts_ends(preflight: Run) -> None:
    """CPython forgets a signal that a handler of Python's is told of while it forks."""
    ended = preflight(TERMINATED, "at once", "0")
    assert ended.exit_code == 0, ended.stderr
    assert ended.stderr.count(f"ended by {signal.SIGTERM}") == 50


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_a_child_that_swallows_its_end_is_ended(preflight: Run) -> None:
    ended = preflight(TERMINATED, "later", "1000")
    assert ended.exit_code == 0, ended.stderr
    assert f"ended by {signal.SIGKILL}" in ended.stderr


TRAINING_IN_A_POOL = """
import sys
import torch
import torch.multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

def train(seed):
    model = torch.nn.Linear(3, 1).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(50):
        loss = model(torch.randn(5, 3, device="cuda")).mean()
        loss.backward()
        optimizer.step()
        loss.item()

if __name__ == "__main__":
    context = mp.get_context("fork")
    pool = ProcessPoolExecutor(2, context) if sys.argv[1] == "executor" else context.Pool(2)
    with pool:
        list(pool.map(train, range(3)))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="forks are POSIX's")
@pytest.mark.parametrize("pool", ["executor", "pool"])
def test_a_pool_whose_workers_have_been_stopped_is_waited_for_no_longer(preflight: Run, pool: str) -> None:
    ended = preflight(TRAINING_IN_A_POOL, pool)
    assert ended.exit_code == 0, ended.stdout + ended.stderr
    assert "3 steps)" in ended.stdout.splitlines()[0]
    assert "train.py:14 in train  scalar read" in ended.stdout


LEARNER = """
import torch
import torch.multiprocessing as mp

class Learner(mp.get_context("fork").Process):
    def __init__(self, results):
        super().__init__(daemon=True)
        self.results = results

    def run(self):
        model = torch.nn.Linear(3, 1).cuda()
        optimizer = torch.optim.Adam(model.parameters())
        for _ in range(50):
            loss = model(torch.randn(5, 3, device="cuda")).mean()
            loss.backward()
            optimizer.step()
            self.results.put(loss.item())

if __name__ == "__main__":
    results = mp.get_context("fork").Queue()
    Learner(results).start()
    for _ in range(50):
        results.get()
"""


@pytest.mark.slow
def test_a_parent_that_waits_for_what_never_comes_is_stopped(preflight: Run) -> None:
    ended = preflight(LEARNER)
    assert ended.exit_code == 0, ended.stderr
    assert "3 steps)" in ended.stdout.splitlines()[0]
    assert "train.py:17 in run  scalar read" in ended.stdout


FORK = """
import os, sys
import torch

ones = torch.ones(2, device="cuda")
if os.fork() == 0:
    print(ones.sum().item())
    sys.exit(0)
os.wait()
"""


def test_a_fork_says_nothing_of_its_own(preflight: Run) -> None:
    ended = preflight(FORK)
    assert ended.exit_code == 0
    assert ended.stdout.count("predicted, no GPU was used") == 1
    assert "train.py:7" in ended.stdout


SUBPROCESS = """
import subprocess, sys
import torch

subprocess.run([sys.executable, __file__.replace("train", "worker")], check=False)
"""


@pytest.mark.slow
def test_another_python_program_is_told_of_and_its_failure_as_well(tmp_path: Path, preflight: Run) -> None:
    (tmp_path / "worker.py").write_text("import torch\ntorch.ones(1).cuda()\n", encoding="utf-8")
    ended = preflight(SUBPROCESS)
    assert ended.exit_code == 2
    assert "worker.py` ran unwatched" in ended.stdout
    assert "worker.py` ended with exit code 1" in ended.stdout


WAITING = """
import pathlib, sys, time
import torch

torch.ones(2, device="cuda").sum().item()
pathlib.Path(sys.argv[1]).touch()
try:
    while True:
        time.sleep(0.05)
except KeyboardInterrupt:
    print("saved what was trained")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize(
    ("sent", "is_ignored", "said"),
    [
        (signal.SIGINT, False, "Ctrl-C ended it"),
        (signal.SIGINT, True, "Ctrl-C ended it"),
        (signal.SIGTERM, False, "SIGTERM ended it"),
    ],
)
def test_a_signal_ends_the_program_and_not_its_report(
    tmp_path: Path, sent: signal.Signals, is_ignored: bool, said: str
) -> None:
    program, began = tmp_path / "train.py", tmp_path / "began"
    program.write_text(WAITING, encoding="utf-8")
    command = [sys.executable, "-m", "tbprof.preflight", str(program), str(began)]
    ignoring = signal.SIG_IGN if is_ignored else signal.SIG_DFL
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, ignoring),
    ) as started:
        wait_for(began, started)
        started.send_signal(sent)
        output, errors = started.communicate(timeout=60)
    assert started.returncode == 130, errors
    assert "train.py:5 in <module>  scalar read" in output
    assert said in output.splitlines()[-1]


def wait_for(path: Path, started: subprocess.Popen[str]) -> None:
    while not path.exists():
        assert started.poll() is None, started.communicate()
        time.sleep(0.02)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_ctrl_c_before_the_program_is_one_sentence() -> None:
    # What imports torch in earnest has not begun when the first module is there.
    source = (
        "import builtins, os, signal, sys\n"
        "plain = builtins.__import__\n"
        "def hurried(name, *rest):\n"
        "    if name == 'torch':\n"
        "        builtins.__import__ = plain\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    return plain(name, *rest)\n"
        "builtins.__import__ = hurried\n"
        "from tbprof.preflight.__main__ import main\n"
        "sys.exit(main())\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", source, "train.py"], capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (130, "tbprof: interrupted before the program began\n")


def test_a_program_may_close_its_stdout(preflight: Run) -> None:
    source = "import os, torch\nprint('x')\nos.close(1)\ntorch.ones(1, device='cuda').item()\n"
    ended = preflight(source)
    assert (ended.exit_code, "train.py:4" in ended.stdout) == (0, True), ended.stderr


def test_a_module_that_is_not_there_is_one_line(processes: ScriptRunner, tmp_path: Path) -> None:
    command = ["-m", "tbprof.preflight", "-m", "no_such_module_of_theirs"]
    ended = processes.run(command, tmp_path, os.environ)
    assert ended.exit_code == 2
    assert "Traceback" not in ended.stderr
    assert "No module named no_such_module_of_theirs" in ended.stderr + ended.stdout
