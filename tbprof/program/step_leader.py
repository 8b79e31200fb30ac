"""Which of a program's optimizers counts its steps: the one that leads."""

from __future__ import annotations

import weakref
from collections.abc import Callable

SILENT_STEPS = 4
"""Steps of one other optimizer, without one of the leader, after which that one leads.

Optimizers that step in turn, such as a generator's and a discriminator's, come nowhere near it.
"""


class StepLeader:
    """Told of every step of every optimizer, says which of them end a step of the training.

    The first one to step leads: two that step in turn make one step. Where it is gone, or silent
    while another one steps several times (a learning-rate finder, the next fold, the next phase),
    the other one leads. Optimizers are held by weak references: an id is given away again.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` is told which optimizer counts, and the first time that another one takes over."""
        self._say = say
        self._leader: Callable[[], object | None] = _nobody
        self._others: list[tuple[Callable[[], object | None], int]] = []
        self._has_changed = False

    def is_step(self, optimizer: object) -> bool:
        """Whether this step of an optimizer ends a step of the training."""
        leader = self._leader()
        if leader is optimizer:
            self._others.clear()
            return True
        if leader is None:
            self._lead(optimizer, "is gone")
            return True
        steps = self._steps_without_leader(optimizer)
        if steps < SILENT_STEPS:
            return False
        self._lead(optimizer, f"has not stepped while this one stepped {steps} times")
        return True

    def _steps_without_leader(self, optimizer: object) -> int:
        others = [(other, steps) for other, steps in self._others if other() is not None]
        steps = 1 + next((steps for other, steps in others if other() is optimizer), 0)
        self._others = [(other, steps) for other, steps in others if other() is not optimizer]
        self._others.append((_weak(optimizer), steps))
        return steps

    def _lead(self, optimizer: object, why: str) -> None:
        name = type(optimizer).__name__
        if self._leader is _nobody:
            self._say(f"Steps are those of {name}, the first optimizer that stepped.")
        elif not self._has_changed:
            self._has_changed = True
            self._say(f"From here on steps are those of another optimizer, {name}: the one before {why}.")
        self._leader = _weak(optimizer)
        self._others.clear()


def _nobody() -> None:
    """Before the first step."""


def _weak(optimizer: object) -> Callable[[], object | None]:
    try:
        return weakref.ref(optimizer)
    except TypeError:
        # A class with slots and without a place for weak references.
        return lambda: optimizer
