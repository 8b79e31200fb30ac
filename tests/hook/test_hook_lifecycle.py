"""Whole training processes: whatever happens in them, they end as they would without the hook."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import RunScript

TRAINING = """
import os, signal, sys, threading
import torch
import tbprof

SHORT = tbprof.Schedule(skip_first=2, warmup=1, active=2)
torch.manual_seed(0)
weights = torch.zeros(8, requires_grad=True)

def train(hook, steps):
    for _ in range(steps):
        loss = ((torch.rand(4, 8) @ weights - 1) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            weights.sub_(0.1 * weights.grad)
            weights.grad = None
        print(loss.item())
        hook.step()
"""


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def said() -> Callable[[str], list[str]]:
    """The hook's own lines of a process' stderr; torch and Kineto write there as well."""
    return lambda stderr: [line for line in stderr.splitlines() if re.search("window|Profiling ends", line)]


def traces_in(folder: Path) -> list[Path]:
    """The traces of the hook's windows; each may have a copy for the standard tab beside it."""
    return sorted(path for path in folder.rglob("*trace.json*") if path.parent.name != "classic")


def has_published(logdir: Path, windows: int) -> bool:
    """Wait for that many windows: on a busy machine their publishing outlives the training."""
    deadline = time.monotonic() + 60
    while len(traces_in(logdir)) < windows and time.monotonic() < deadline:
        time.sleep(0.05)
    return len(traces_in(logdir)) == windows


def test_a_training_prints_and_loads_the_same_with_and_without_the_hook(
    run_script: RunScript, logdir: Path
) -> None:
    script = f"""{TRAINING}
class Nothing:
    def step(self): pass

if sys.argv[1] == "bare":
    train(Nothing(), 8)
else:
    with tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:
        train(hook, 8)
heavy = ("numpy", "tensorboard", "msgspec", "isal", "google.protobuf", "torch_tb_profiler", "tensorflow")
print([name for name in heavy if name in sys.modules])
sys.exit(3)
"""
    bare, watched = run_script(script, "bare"), run_script(script, logdir)
    assert watched.stdout == bare.stdout
    assert watched.returncode == bare.returncode == 3
    assert has_published(logdir, 1)


def test_a_hook_that_is_never_closed_is_closed_at_exit(run_script: RunScript, logdir: Path) -> None:
    done = run_script(f"{TRAINING}\ntrain(tbprof.TrainerHook(sys.argv[1], schedule=SHORT), 4)", logdir)
    assert done.returncode == 0, done.stderr
    assert has_published(logdir, 1)


def test_an_interrupted_training_ends_as_interrupted_and_keeps_its_window(
    run_script: RunScript, logdir: Path
) -> None:
    script = f"""{TRAINING}
with tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:
    train(hook, 4)
    os.kill(os.getpid(), signal.SIGINT)
    train(hook, 4)
"""
    done = run_script(script, logdir)
    assert done.returncode == -signal.SIGINT
    assert "KeyboardInterrupt" in done.stderr
    assert has_published(logdir, 1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
@pytest.mark.parametrize("steps", [4, 8], ids=["in a window", "after a window"])
def test_a_forked_child_goes_on_and_ends_with_its_own_code(
    run_script: RunScript, logdir: Path, steps: int
) -> None:
    script = f"""{TRAINING}
with tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:
    train(hook, {steps})
    child = os.fork()
    if child == 0:
        train(hook, 10)
        sys.exit(7)
    _, status = os.waitpid(child, 0)
    print("child ended with", os.waitstatus_to_exitcode(status))
    train(hook, 4)
"""
    done = run_script(script, logdir)
    assert "child ended with 7" in done.stdout, done.stderr
    assert done.returncode == 0
    assert has_published(logdir, 1)


def test_loader_processes_that_start_inside_a_window_end_as_ever(run_script: RunScript, logdir: Path) -> None:
    script = f"""{TRAINING}
from torch.utils.data import DataLoader
with tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:
    train(hook, 4)
    print(sum(len(batch) for batch in DataLoader(range(40), batch_size=4, num_workers=2)))
    train(hook, 4)
"""
    done = run_script(script, logdir)
    assert done.stdout.splitlines()[4] == "40"
    assert done.returncode == 0
    assert has_published(logdir, 1)


def test_a_training_in_a_thread_may_forget_to_close(run_script: RunScript, logdir: Path) -> None:
    script = f"""{TRAINING}
hook = tbprof.TrainerHook(sys.argv[1], schedule=SHORT)
thread = threading.Thread(target=train, args=(hook, 4))
thread.start()
thread.join()
"""
    done = run_script(script, logdir)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 4


def test_what_could_not_be_published_is_by_the_next_run(
    run_script: RunScript, logdir: Path, spool: Path, said: Callable[[str], list[str]]
) -> None:
    script = f"{TRAINING}\nwith tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:\n    train(hook, 8)"
    logdir.write_text("not a folder")
    first = run_script(script, logdir)
    assert first.returncode == 0
    assert "could not be published" in said(first.stderr)[0]
    (waiting,) = traces_in(spool)
    logdir.unlink()
    second = run_script(script, logdir)
    assert second.returncode == 0
    assert has_published(logdir, 2)
    assert waiting.name.replace(".pt.", ".") + ".gz" in {trace.name for trace in traces_in(logdir)}


def test_a_disk_that_is_full_loses_the_window_and_says_so(
    run_script: RunScript, logdir: Path, spool: Path, said: Callable[[str], list[str]]
) -> None:
    script = f"""{TRAINING}
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
with tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:
    train(hook, 8)
"""
    done = run_script(script, logdir)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 8
    assert re.search("is lost|could not be published", said(done.stderr)[0])
    assert traces_in(logdir) == []
    assert list(spool.rglob("*.tmp")) == []
