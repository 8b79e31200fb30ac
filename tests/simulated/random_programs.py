"""Trainings by seed: host-bound, device-bound and mixed, with and without all that complicates them."""

from __future__ import annotations

import dataclasses
import random

from later_traits import LATER_TRAITS, with_later_traits
from program import AUTOGRAD, MAIN, SIDE, Action, Program, Work
from random_actions import COPY_STREAM, Actions, Regime

_FIRST_TRAITS = {
    "streams": 0.3,
    "autograd": 0.6,
    "side thread": 0.25,
    "graphs": 0.15,
    "two devices": 0.15,
    "backlog": 0.4,
    "unrecorded": 0.08,
    "prefetch": 0.25,
    "loader": 0.4,
    "non-blocking upload": 0.15,
}
TRAITS = {**_FIRST_TRAITS, **LATER_TRAITS}
"""What complicates a training, and in which share of the programs it is found."""

_KERNEL_RATIOS = {"host": (0.1, 0.7), "device": (1.5, 5.0), "mixed": (0.7, 1.5)}
"""How long a kernel is, relative to the host work for it."""


def random_program(seed: int) -> Program:
    """The program of this seed, always the same."""
    draw = random.Random(seed)
    bound = draw.choice(("host", "device", "mixed"))
    regimes = _regimes(draw, bound)
    traits = {bound, *(trait for trait, share in _FIRST_TRAITS.items() if draw.random() < share)}
    if "streams" in traits and draw.random() < 0.25:
        traits.add("shared")
    launches = draw.randint(15, 90)
    if bound == "device" and draw.random() < 0.15:
        launches = draw.randint(250, 400)
        traits.add("long queue")
    program = _Writer(draw, regimes, frozenset(traits), launches).program()
    return with_later_traits(program, seed, regimes[0], launches)


def _regimes(draw: random.Random, bound: str) -> list[Regime]:
    """Of the forward pass, the backward pass and the optimizer."""
    host = draw.uniform(6_000, 40_000)
    regimes = [Regime(host, host * draw.uniform(*_KERNEL_RATIOS[bound]) + 2_000) for _ in range(3)]
    if bound == "mixed":
        regimes[0] = Regime(host, host * draw.uniform(0.2, 0.6))
        regimes[1] = Regime(host, host * draw.uniform(1.2, 3.0))
    return regimes


class _Writer:
    def __init__(
        self, draw: random.Random, regimes: list[Regime], traits: frozenset[str], launches: int
    ) -> None:
        self._draw = draw
        self._regimes = regimes
        self._traits = traits
        self._launches = launches
        self._actions = Actions(draw, traits)

    def program(self) -> Program:
        """A few steps after one template, each duration of each a little off."""
        draw = self._draw
        before = 2 if "backlog" in self._traits else 0
        template = self._template()
        steps = tuple(
            tuple(self._actions.vary(action) for every, action in template if number % every == 0)
            for number in range(before + draw.randint(3, 8))
        )
        return Program(
            steps=steps,
            steps_before=before,
            side=self._side() if "side thread" in self._traits else (),
            kernels_share="shared" in self._traits,
            names_awaited=draw.random() < 0.5,
            traits=self._traits,
        )

    def _template(self) -> list[tuple[int, Action]]:
        """One step: how often each action comes (every so many steps), and the action."""
        draw = self._draw
        forward, backward, update = (self._part(regime) for regime in self._regimes)
        if "autograd" in self._traits:
            backward = [
                Work(draw.randint(10_000, 40_000)),
                *(dataclasses.replace(action, thread=AUTOGRAD) for action in backward),
                Work(draw.randint(10_000, 40_000)),
            ]
        step = [(1, action) for action in (*self._input(), *forward, *backward, *update)]
        for site in range(draw.randint(0, 6)):
            every = draw.choice((1, 1, 1, 2, 3))
            at = draw.randint(0, len(step))
            thread = step[at - 1][1].thread if at else MAIN
            step[at:at] = [(every, action) for action in self._actions.site(site, thread, self._regimes[0])]
        return step

    def _input(self) -> list[Action]:
        """What a step begins with: the data loader, and uploads that do not wait."""
        draw = self._draw
        start: list[Action] = []
        if "loader" in self._traits:
            start.append(Work(int(self._launches * draw.uniform(0.2, 1.0) * self._regimes[0].host_ns)))
        if "prefetch" in self._traits:
            start += self._actions.prefetch()
        if "non-blocking upload" in self._traits:
            size = draw.choice((16_384, 1_000_000, 8_000_000))
            start.append(self._actions.upload(size, synchronized=False))
        return start

    def _part(self, regime: Regime) -> list[Action]:
        part: list[Action] = []
        for _ in range(max(self._launches // 3, 1)):
            part.append(Work(self._actions.around(regime.host_ns)))
            part += self._actions.launch(regime)
        return part

    def _side(self) -> tuple[Action, ...]:
        """A thread that copies on a stream of its own and waits for that."""
        draw = self._draw
        size = draw.randint(100_000, 10_000_000)
        copy = dataclasses.replace(
            self._actions.upload(size, memory=draw.choice(("pinned", "pageable"))),
            direction=draw.choice(("HtoD", "DtoH")),
            stream=COPY_STREAM + 1,
            thread=SIDE,
        )
        pause = draw.uniform(500_000, 5_000_000)
        actions: list[Action] = []
        for _ in range(draw.randint(3, 12)):
            actions += [Work(self._actions.around(pause), SIDE), copy]
        return tuple(actions)
