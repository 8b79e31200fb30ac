"""Steps of the program, told by its optimizer, and the end after enough of them."""

from __future__ import annotations

from typing import Any

from torch.optim.optimizer import register_optimizer_step_post_hook

from tbprof.preflight.recording import Recorder

__all__ = ["Steps", "StepsTaken"]


class StepsTaken(BaseException):
    """Ends the program: no `except Exception` of a trainer's holds it up."""

    def __init__(self, steps: Steps) -> None:
        super().__init__("preflight has seen the steps that it was asked for")
        self.steps = steps


class Steps:
    """Counts the steps of the optimizer that steps first.

    A program with two optimizers (a generator's and a discriminator's) takes one step for both.
    """

    def __init__(self, recorder: Recorder, last: int | None) -> None:
        self.taken = 0
        self._recorder = recorder
        self._last = last
        self._first_optimizer: int | None = None
        self._handle: Any = None

    def start(self) -> None:
        self._handle = register_optimizer_step_post_hook(self._after_step)

    def stop(self) -> None:
        self._handle.remove()

    def step(self) -> None:
        """A step is over.

        Raises:
            StepsTaken: it was the last one that was asked for.
        """
        self.taken += 1
        self._recorder.step = self.taken
        if self.taken == self._last:
            raise StepsTaken(self)

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        if self._first_optimizer is None:
            self._first_optimizer = id(optimizer)
        if id(optimizer) == self._first_optimizer:
            self.step()
