"""The course of an experiment: warm-up, then blocks in turns until the interval says enough."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Protocol

from tbprof.experiment.estimator import Estimate, estimate, steps_to_warm_up
from tbprof.experiment.messages import Block, Order

_LEAST_BLOCK_STEPS, _LEAST_BLOCK_NS = 2, 50e6
_MOST_BLOCK_STEPS = 1000
_WARM_STEPS, _MOST_WARM_STEPS = 16, 64
_LOOK_EVERY = 4
"""Pairs after which it is asked whether they are enough."""


class Side(Protocol):
    """What takes its turn; a process, a callable, or the simulation of one."""

    taken: int
    has_ended: bool

    def play(self, order: Order) -> Block:
        """Take these steps."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """When an experiment has shown enough; shares as logarithms of ratios."""

    half_width: float
    negligible: float
    deadline: float
    """On `clock`."""
    clock: Callable[[], float] = time.monotonic
    most_pairs: int = 1 << 20

    def is_enough(self, found: Estimate | None) -> bool:
        """Never because a difference is seen: who stops at the first one believes in too many."""
        return found is not None and (found.half_width <= self.half_width or found.largest <= self.negligible)

    @property
    def is_over(self) -> bool:
        return self.clock() > self.deadline


@dataclass(slots=True)
class Series:
    """What was measured, also where it was interrupted."""

    wall: list[float] = field(default_factory=list)
    """The logarithms of the ratios of pairs."""
    cpu: list[float] = field(default_factory=list)
    blocks: tuple[list[Block], list[Block]] = field(default_factory=lambda: ([], []))
    ended: tuple[int, int] | None = None
    """The steps of each side where a program came to its end."""

    def pairs(self, *, by_cpu: bool) -> list[float]:
        return self.cpu if by_cpu else self.wall

    def step_ns(self, side: int) -> float:
        """The median over blocks of the mean step."""
        return median(block.step_ns for block in self.blocks[side])

    @property
    def steps(self) -> int:
        """How many each side took."""
        return sum(len(block.wall_ns) for block in self.blocks[0])


class ProgramEnded(Exception):
    """A side came to its end."""


def take(side: Side, order: Order) -> Block:
    """A block that is whole.

    Raises:
        ProgramEnded: It is not.
    """
    block = side.play(order)
    if block.has_ended:
        raise ProgramEnded
    return block


def warm_up(side: Side, number: int = 0) -> tuple[int, bool]:
    """Take steps until those at the end are alike; `number` says which of two callables.

    Returns:
        The steps before, with the first one of its cold start, and whether a steady state was seen.

    Raises:
        ProgramEnded: The program took too few steps.
    """
    durations: list[float] = []
    while len(durations) < _MOST_WARM_STEPS:
        steps = _WARM_STEPS if not durations else _WARM_STEPS // 2
        durations += take(side, Order(steps, side=number)).wall_ns
        if (first := steps_to_warm_up(durations)) is not None:
            return first + 1, True
    return len(durations) + 1, False


def block_steps(one: Block, other: Block) -> int:
    """How many steps a turn takes: enough for the change of turns not to matter."""
    fastest = max(min(one.step_ns, other.step_ns), 1.0)
    return min(max(math.ceil(_LEAST_BLOCK_NS / fastest), _LEAST_BLOCK_STEPS), _MOST_BLOCK_STEPS)


def measure(
    sides: tuple[Side, Side],
    steps: int,
    wanted: Wanted,
    series: Series,
    *,
    by_cpu: bool = False,
    rng: random.Random | None = None,
    orders: tuple[Order, Order] | None = None,
) -> Series:
    """Add pairs to a series until they are enough, time is over, or a program has come to its end.

    Two pairs are taken as ABBA or BAAB, as chance has it: what gets slower or faster all the time adds to
    one and takes from the other. Both sides of a pair take the same steps of their programs.
    """
    toss = rng or random.Random()
    asked = orders or (Order(steps, side=0), Order(steps, side=1))
    with suppress(ProgramEnded):
        while not wanted.is_over and len(series.wall) < wanted.most_pairs:
            first = toss.randrange(2)
            for leader in (first, 1 - first):
                _pair(sides, asked, leader, series)
            found = series.pairs(by_cpu=by_cpu)
            if len(found) % _LOOK_EVERY == 0 and wanted.is_enough(estimate(found)):
                break
    return series


def _pair(sides: tuple[Side, Side], orders: tuple[Order, Order], leader: int, series: Series) -> None:
    taken: dict[int, Block] = {}
    for at in (leader, 1 - leader):
        taken[at] = sides[at].play(orders[at])
    if any(block.has_ended for block in taken.values()):
        # Where one goes on beyond the end of the other, it has taken a step more at least.
        series.ended = sides[0].taken, sides[1].taken
        raise ProgramEnded
    for at, block in taken.items():
        series.blocks[at].append(block)
    series.wall.append(math.log(taken[1].step_ns / taken[0].step_ns))
    series.cpu.append(math.log(max(taken[1].cpu_ns, 1) / max(taken[0].cpu_ns, 1)))
