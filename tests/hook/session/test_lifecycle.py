"""Whole training processes, with the hook and without it; what happens to them otherwise is in `faults`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import RunScript

TRAINING = """
import sys
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


@pytest.mark.slow
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
heavy = ("numpy", "tensorboard", "isal", "google.protobuf", "torch_tb_profiler", "tensorflow")
print([name for name in heavy if name in sys.modules])
sys.exit(3)
"""
    bare, watched = run_script(script, "bare"), run_script(script, logdir)
    assert watched.stdout == bare.stdout
    assert watched.returncode == bare.returncode == 3
    assert has_published(logdir, 1)


@pytest.mark.slow
def test_what_could_not_be_published_is_by_the_next_run(
    fork_script: RunScript, logdir: Path, spool: Path, said: Callable[[str], list[str]]
) -> None:
    script = f"{TRAINING}\nwith tbprof.TrainerHook(sys.argv[1], schedule=SHORT) as hook:\n    train(hook, 8)"
    logdir.write_text("not a folder")
    first = fork_script(script, logdir)
    assert first.returncode == 0
    assert "could not be published" in said(first.stderr)[0]
    (waiting,) = traces_in(spool)
    logdir.unlink()
    second = fork_script(script, logdir)
    assert second.returncode == 0
    assert has_published(logdir, 2)
    assert waiting.name.replace(".pt.", ".") + ".gz" in {trace.name for trace in traces_in(logdir)}
