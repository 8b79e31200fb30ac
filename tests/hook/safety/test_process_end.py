"""A hook in a child of multiprocessing: whatever is not published is said."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from trainings import facts_in, published_soon

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet
    from conftest import RunScript

TRAINING = """
import multiprocessing, sys, time
import torch, tbprof

def train(steps, closes):
    weights = torch.zeros(8, requires_grad=True)
    hook = tbprof.TrainerHook(sys.argv[1], schedule=tbprof.Schedule(skip_first=2, warmup=1, active=2))
    for _ in range(steps):
        ((torch.rand(4, 8) @ weights - 1) ** 2).mean().backward()
        hook.step()
    if closes:
        hook.close()

if __name__ == "__main__":
    how, steps, closes = sys.argv[2], int(sys.argv[3]), sys.argv[4] == "closes"
    child = multiprocessing.get_context(how).Process(target=train, args=(steps, closes))
    child.start()
    child.join()
    sys.exit(child.exitcode)
"""


SPAWNED = ("spawn", 4, "forgets")
"""Of the children that import torch themselves, the one that leaves most to its end."""


def case(how: str, steps: int, closes: str) -> ParameterSet:
    is_plain = how == "fork" or (how, steps, closes) == SPAWNED
    return pytest.param(how, steps, closes, marks=() if is_plain else pytest.mark.exhaustive)


CASES = itertools.product(("fork", "forkserver", "spawn"), (1, 4, 6), ("closes", "forgets"))


@pytest.mark.slow
@pytest.mark.parametrize(("how", "steps", "closes"), [case(*each) for each in CASES])
def test_a_window_of_a_child_is_published_or_its_absence_said(
    fork_script: RunScript, tmp_path: Path, how: str, steps: int, closes: str
) -> None:
    logdir = tmp_path / "logs"
    ended = fork_script(TRAINING, logdir, how, steps, closes)
    assert ended.returncode == 0, ended.stderr
    said = [
        line for line in ended.stderr.splitlines() if not line.startswith(("USDT:", "tbprof: window ", "  "))
    ]
    if steps == 1:
        assert said == [
            "tbprof: No window was recorded: recording begins after 3 steps; steps taken: 1."
            " Lower skip_first or warmup."
        ]
        return
    assert said == []
    published_soon(logdir)
    assert [facts["recorded_steps"] for facts in facts_in(logdir)] == [1 if steps == 4 else 2]


def test_a_child_that_has_its_hook_from_its_parent_leaves_the_window_to_it(
    fork_script: RunScript, tmp_path: Path
) -> None:
    script = """
import multiprocessing, sys
import torch, tbprof

schedule = tbprof.Schedule(skip_first=2, warmup=1, active=2)
hook = tbprof.TrainerHook(sys.argv[1], schedule=schedule)

def train(steps):
    for _ in range(steps):
        torch.rand(4, 8) @ torch.rand(8)
        hook.step()

train(4)
child = multiprocessing.get_context("fork").Process(target=train, args=(6,))
child.start()
child.join()
train(4)
hook.close(wait_s=60)
sys.exit(child.exitcode)
"""
    ended = fork_script(script, tmp_path / "logs")
    assert ended.returncode == 0, ended.stderr
    assert [facts["recorded_steps"] for facts in facts_in(tmp_path / "logs")] == [2]
