"""Of a program's optimizers one counts the steps, and another one when it no longer steps."""

from __future__ import annotations

import pytest

from tbprof.program.step_functions import SILENT_STEPS, StepLeader


class Optimizer:
    """Steps when told to."""


class Slotted:
    """Can't be referred to weakly."""

    __slots__ = ()


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def leader(said: list[str]) -> StepLeader:
    return StepLeader(said.append)


def test_two_that_step_in_turn_make_one_step_an_iteration(leader: StepLeader, said: list[str]) -> None:
    generator, discriminator = Optimizer(), Optimizer()
    steps = [leader.is_step(each) for _ in range(20) for each in (discriminator, generator)]
    assert sum(steps) == 20
    assert said == ["Steps are those of Optimizer, the first optimizer that stepped."]


@pytest.mark.parametrize("critic_steps", [2, 3])
def test_a_critic_may_step_more_often(leader: StepLeader, critic_steps: int) -> None:
    generator, critic = Optimizer(), Optimizer()
    steps = [leader.is_step(each) for _ in range(20) for each in (generator, *[critic] * critic_steps)]
    assert sum(steps) == 20


def test_many_in_turn_make_one_step_an_iteration(leader: StepLeader) -> None:
    layers = [Optimizer() for _ in range(12)]
    assert sum(leader.is_step(each) for _ in range(20) for each in layers) == 20


def test_the_next_one_counts_at_once_when_the_first_is_gone(leader: StepLeader, said: list[str]) -> None:
    steps = 0
    for _ in range(6):
        fold = Optimizer()
        steps += sum(leader.is_step(fold) for _ in range(3))
        del fold
    assert steps == 18
    assert said[1:] == [
        "From here on steps are those of another optimizer, Optimizer: the one before is gone."
    ]


def test_another_takes_over_from_one_that_is_kept_and_silent(leader: StepLeader, said: list[str]) -> None:
    probe, training = Optimizer(), Optimizer()
    assert [leader.is_step(probe) for _ in range(3)] == [True] * 3
    steps = [leader.is_step(training) for _ in range(10)]
    assert steps == [False] * (SILENT_STEPS - 1) + [True] * (11 - SILENT_STEPS)
    assert said[1:] == [
        "From here on steps are those of another optimizer, Optimizer:"
        " the one before has not stepped while this one stepped 4 times."
    ]


def test_one_without_weak_references_counts_too(leader: StepLeader) -> None:
    optimizer = Slotted()
    assert all(leader.is_step(optimizer) for _ in range(3))


def test_a_class_that_calls_the_step_of_its_base_takes_one(leader: StepLeader) -> None:
    torch = pytest.importorskip("torch")
    from torch.optim.optimizer import register_optimizer_step_post_hook

    class Scheduled(torch.optim.SGD):  # type: ignore[misc, name-defined]
        def step(self, closure: None = None) -> None:
            super().step(closure)

    weight = torch.nn.Parameter(torch.ones(1))
    # One of the base class itself has torch report the steps of both.
    torch.optim.SGD([weight])
    optimizer, steps = Scheduled([weight]), []
    removable = register_optimizer_step_post_hook(lambda stepped, *_: steps.append(leader.is_step(stepped)))
    try:
        for _ in range(3):
            optimizer.step()
    finally:
        removable.remove()
    assert (len(steps), sum(steps)) == (6, 3)
