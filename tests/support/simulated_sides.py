"""Sides of an experiment whose steps are drawn, with the kinds of noise that machines have."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tbprof.experiment.messages import Block, Order

KINDS = ("independent", "lasting", "drift", "bursts", "two speeds", "long states", "heavy tails")


def noise(kind: str, rng: np.random.Generator, count: int) -> np.ndarray:
    """The logarithms of what `count` steps, one after the other, take more or less."""
    small = rng.normal(0, 0.03, count)
    if kind == "lasting":
        for at in range(1, count):
            small[at] += 0.9 * small[at - 1]
    elif kind == "drift":
        small += np.linspace(0, 0.3, count) + np.cumsum(rng.normal(0, 0.004, count))
    elif kind == "bursts":
        at = 0
        while at < count:
            at += int(rng.exponential(40)) + 1
            length = int(rng.exponential(8)) + 1
            small[at : at + length] += abs(rng.normal(0.3, 0.2))
            at += length
    elif kind == "two speeds":
        small += 0.25 * (rng.random(count) < 0.3)
    elif kind == "long states":
        small += 0.2 * (np.cumsum(rng.random(count) < 0.03) % 2)
    elif kind == "heavy tails":
        small = 0.03 * np.abs(rng.standard_t(2, count))
    return small


@dataclass
class SimulatedSide:
    """Takes the next steps of the machine that it shares, at its own pace."""

    machine: Iterator[float]
    factor: float = 1.0
    taken: int = 0
    last: int | None = None
    has_ended: bool = False

    def play(self, order: Order) -> Block:
        steps = order.steps if self.last is None else min(order.steps, self.last - self.taken)
        wall = tuple(int(1e7 * self.factor * float(np.exp(next(self.machine)))) for _ in range(steps))
        self.taken += steps
        self.has_ended = steps < order.steps
        return Block(wall, sum(wall), sum(wall), has_ended=self.has_ended)


def simulated_sides(
    kind: str, seed: int, effect: float, steps: int = 20_000
) -> tuple[SimulatedSide, SimulatedSide, random.Random]:
    """Two sides on one machine, the second slower by `effect`, and the coin that orders them."""
    machine = iter(noise(kind, np.random.default_rng(seed), steps))
    return SimulatedSide(machine), SimulatedSide(machine, 1 + effect), random.Random(seed)
