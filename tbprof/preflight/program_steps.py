"""Steps of the program, counted by its optimizer or a named function, and the end after enough of them."""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Callable
from typing import Any

from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from tbprof.preflight.watching.recording import Recorder
from tbprof.program.main_program import Decorated
from tbprof.program.step_functions import STEP_FUNCTIONS, StepFunction, StepLeader, call_after, counted


class StepsTaken(BaseException):
    """Ends the program: no `except Exception` of a trainer's holds it up."""

    def __init__(self, steps: Steps) -> None:
        super().__init__("preflight has seen the steps that it was asked for")
        self.steps = steps


class Steps:
    """Counts the steps of the optimizer that leads, or the calls of one function.

    A program with two optimizers (a generator's and a discriminator's) takes one step for both.
    """

    def __init__(self, recorder: Recorder, last: int | None, step_on: str | None = None) -> None:
        """`step_on` names a function as `package.module:Class.method`.

        Raises:
            UsageError: it is no such name.
        """
        self.taken = 0
        self.looks: list[Callable[[], object]] = []
        """Called at the end of each step, before that may end the program."""
        self._recorder = recorder
        self._last = last
        self._function = None if step_on is None else StepFunction.parse(step_on)
        self._leader = StepLeader(self._note_leader)
        self._has_leader = False
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()
        self._undos: list[Callable[[], None]] = []
        self._is_decorated = self._has_stopped = False

    def decoration(self) -> Decorated | None:
        """What counts a function of the script that is about to run; ask before `start`.

        None where another function ends the steps, or none does. A script's own function is there only
        once the script runs, so it can't be replaced from outside.
        """
        function = self._function
        if function is None or function.module != "__main__":
            return None
        self._is_decorated = True
        return function.function, functools.partial(counted, after=self._after_function)

    def start(self) -> None:
        if self._is_decorated:
            return
        if self._function is not None:
            self._undos.append(call_after(self._function, self._after_function, self._recorder.remark))
            return
        self._undos.append(register_optimizer_step_post_hook(self._after_step).remove)
        for function in STEP_FUNCTIONS:
            self._undos.append(call_after(function, self._after_step, self._recorder.remark))

    def stop(self) -> None:
        self._has_stopped = True
        for undo in self._undos:
            undo()
        self._undos.clear()

    def step(self) -> None:
        """A step is over.

        Raises:
            StepsTaken: it was the last one that was asked for, or one more of a program that went on.
        """
        if self.taken == self._last:
            raise StepsTaken(self)
        self.taken += 1
        for look in self.looks:
            look()
        self._recorder.step = self.taken
        if self.taken == self._last:
            self.note_optimizers_to_come()
            raise StepsTaken(self)

    def _after_function(self, _: object) -> None:
        # What decorates a script's function stays there; a forked child counts by steps of its own.
        if not self._has_stopped:
            self.step()

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        if self._has_leader and optimizer not in self._seen:
            # A scheduler and its optimizer hold each other: the last fold's go when they are looked for.
            gc.collect()
        self._seen.add(optimizer)
        if self._leader.is_step(optimizer):
            self.step()

    def note_optimizers_to_come(self) -> None:
        """At the stop: optimizers that have not stepped yet show that a round of theirs takes longer."""
        known = [each for each in gc.get_objects() if issubclass(type(each), Optimizer)]
        known = [each for each in known if each not in self._seen and not self._is_around_one(each)]
        if self._function is None and known:
            names = ", ".join(sorted({type(each).__name__ for each in known}))
            self._recorder.remark(
                f"{len(known)} more of the program's optimizers ({names}) had not stepped by then: "
                "--steps with a larger number may reach what belongs to them"
            )

    def _is_around_one(self, optimizer: Optimizer) -> bool:
        """Whether it holds one that steps, as those of Accelerate and Lightning do."""
        return any(
            issubclass(type(held), Optimizer) and held in self._seen for held in vars(optimizer).values()
        )

    def _note_leader(self, sentence: str) -> None:
        """Nothing where the first optimizer counts: that goes without saying."""
        if self._has_leader:
            self._recorder.remark(sentence)
        self._has_leader = True
