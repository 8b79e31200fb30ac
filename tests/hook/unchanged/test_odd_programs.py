"""Programs whose own classes, paths and depth leave no room for an instrument: they end as without it."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
import torch
from torch import nn

from tbprof.hook.audit.audit import ConstructionWatch
from tbprof.hook.memory.out_of_memory import memory_error
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.safety.program_values import named_modules
from tbprof.hook.window.live_objects import live_loaders_and_optimizers
from tbprof.process.detached import _is_in_system

if TYPE_CHECKING:
    from conftest import RunScript

TRAINING = """
import sys
{before}
import torch
import tbprof

sys.path.append(None)
model = {model}
schedule = tbprof.Schedule(skip_first=1, warmup=1, active=1)
with tbprof.TrainerHook(sys.argv[1], schedule=schedule, trackers=False) as hook:
    for _ in range(6):
        model(torch.ones(2, 4)).sum().backward()
        torch.nn.MSELoss()
        hook.step()
print("ended")
"""

PATHS = "import pathlib\nsys.path.append(pathlib.Path('/nowhere'))"

DEEP = """
from torch import nn


class Chain(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.rest = Chain(depth - 1) if depth else nn.Linear(4, 4)

    def forward(self, value):
        return self.rest(value)


def depth_that_fits():
    depth = 400
    while True:
        try:
            Chain(depth)(torch.ones(2, 4)).sum().backward()
            # Calls of torch's own in it need a few frames more.
            return depth - 4
        except RecursionError:
            depth -= 5


import torch
"""


@pytest.mark.parametrize(
    ("before", "model"),
    [
        pytest.param(PATHS, "torch.nn.Linear(4, 4)", id="odd entries of sys.path"),
        pytest.param(DEEP, "Chain(depth_that_fits() * 9 // 10)", id="modules in modules"),
    ],
)
def test_they_end_as_without_it(run_script: RunScript, tmp_path: Path, before: str, model: str) -> None:
    ended = run_script(TRAINING.format(before=before, model=model), tmp_path / "logs")
    assert (ended.returncode, ended.stdout) == (0, "ended\n")


HOLDING = """
import gc, sys, weakref
import torch
import tbprof

gc.disable()
living = weakref.WeakSet()


class Batch:
    pass


def step(hook):
    batch = Batch()
    living.add(batch)
    hook.step()


schedule = tbprof.Schedule.at(3, 15, warmup=1, active=2)
everything = {"memory": True, "record_inputs": True} if "everything" in sys.argv else {}
with tbprof.TrainerHook(sys.argv[1], schedule=schedule, trackers=False, **everything) as hook:
    for _ in range(20):
        step(hook)
        if hook._run.steps_taken == 13:
            hook._run.guard.run(lambda: 1 / 0)
print(len(living))
"""


@pytest.mark.parametrize("options", ["", "everything"])
def test_what_a_step_held_goes_with_it_where_nobody_collects_garbage(
    run_script: RunScript, tmp_path: Path, options: str
) -> None:
    ended = run_script(HOLDING, tmp_path / "logs", options)
    assert (ended.returncode, ended.stdout) == (0, "0\n")


class Counted:
    """Fails wherever a method of the program's is called."""

    calls: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("__"):
            Counted.calls.append(name)
        return super().__getattribute__(name)


class Group(Counted, dict[str, Any]):
    """What an optimizer may have instead of a dictionary."""


class Loud(nn.Module):
    """Has its own way to name what is in it."""

    def named_modules(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a method of the program's")


def test_modules_are_named_as_torch_names_them_without_a_method_of_theirs() -> None:
    shared = nn.ReLU()
    plain = nn.Sequential(OrderedDict(first=nn.Linear(2, 2), second=nn.Sequential(shared, shared)))
    assert list(named_modules(plain)) == list(plain.named_modules())
    loud = nn.Sequential(Loud(), nn.Linear(2, 2))
    assert [path for path, _ in named_modules(loud)] == ["", "0", "1"]


def test_no_method_of_an_optimizer_s_own_classes_is_called() -> None:
    optimizer = torch.optim.SGD(nn.Linear(2, 2).parameters(), lr=0.1)
    optimizer.param_groups = [Group(group) for group in optimizer.param_groups]
    optimizer.defaults = Group(optimizer.defaults)
    Counted.calls.clear()
    live_loaders_and_optimizers(MissingFacts())
    assert Counted.calls == []


def test_a_class_that_has_no_name_to_give_is_built() -> None:
    class Nameless(type):
        @property
        def __name__(cls) -> str:
            raise AttributeError("no name")

    class Part(nn.Module, metaclass=Nameless):
        pass

    watch = ConstructionWatch(MissingFacts())
    watch.start()
    try:
        Part()
    finally:
        watch.stop()
    assert [one.kind for one in watch.constructions] == ["Part"]


def test_an_error_s_own_words_are_not_asked_for() -> None:
    class Loud(RuntimeError):
        def __str__(self) -> str:
            raise AssertionError("a method of the program's")

    assert memory_error(Loud("DefaultCPUAllocator: not enough memory")) is not None
    assert memory_error(Loud("other")) is None


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells which signals are ignored")
def test_a_shell_that_the_program_runs_is_seen() -> None:
    assert not _is_in_system()
    shell = threading.Thread(target=os.system, args=("sleep 1",))
    shell.start()
    deadline = time.monotonic() + 20
    while not _is_in_system() and time.monotonic() < deadline:
        pass
    assert _is_in_system()
    shell.join()
    assert not _is_in_system()
