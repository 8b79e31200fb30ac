"""Objects that are built in a step: counted by the line that asked for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from tbprof.hook.audit.audit import ConstructionWatch
from tbprof.hook.safety.guard import MissingFacts
from tbprof.model import Construction

HERE = f"audit/{Path(__file__).name}"
"""Below the folder from which the tests of the hook import."""


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 2))


def built_by(program: Callable[[], object]) -> tuple[Construction, ...]:
    watch = ConstructionWatch(MissingFacts())
    watch.start()
    try:
        program()
    finally:
        watch.stop()
    return watch.constructions


def test_each_loss_and_each_optimizer_has_its_line() -> None:
    weights = nn.Parameter(torch.ones(2))

    def program() -> None:
        for _ in range(3):
            nn.CrossEntropyLoss()
        torch.optim.SGD([weights], lr=0.1)

    first = program.__code__.co_firstlineno
    assert [(c.file, c.line - first, c.function, c.kind, c.count) for c in built_by(program)] == [
        (HERE, 2, "program", "CrossEntropyLoss", 3),
        (HERE, 3, "program", "SGD", 1),
    ]


def test_what_a_module_builds_for_itself_counts_for_the_line_that_asked_for_it() -> None:
    def program() -> None:
        Block()

    line = program.__code__.co_firstlineno + 1
    assert [(c.line, c.kind, c.count) for c in built_by(program)] == [
        (line, "Block", 1),
        (line, "Linear", 1),
        (line, "Sequential", 1),
    ]


def test_torch_is_as_it_was_before() -> None:
    module, optimizer = nn.Module.__init__, torch.optim.Optimizer.__init__
    built_by(lambda: nn.Linear(2, 2))
    assert nn.Module.__init__ is module
    assert torch.optim.Optimizer.__init__ is optimizer


def test_another_tool_s_wrapper_that_came_after_ours_stays_and_works() -> None:
    original = nn.Module.__init__
    watch = ConstructionWatch(MissingFacts())
    watch.start()
    ours, seen = nn.Module.__init__, []

    def theirs(module: nn.Module, *args: object) -> None:
        seen.append(type(module).__name__)
        ours(module, *args)

    nn.Module.__init__ = theirs
    watch.stop()
    try:
        assert nn.Module.__init__ is theirs
        assert nn.Linear(2, 2).weight.shape == (2, 2)
        assert seen == ["Linear"]
        assert watch.constructions == ()
    finally:
        nn.Module.__init__ = original
