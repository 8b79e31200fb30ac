"""Steps of a program that knows nothing of the hook, counted by what ends each of them."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable

from torch.optim.optimizer import register_optimizer_step_post_hook

from tbprof.hook.safety.compiled_code import untraced
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.program.main_program import Decorated
from tbprof.program.step_functions import STEP_FUNCTIONS, StepFunction, StepLeader, call_after, counted

logger = logging.getLogger("tbprof")


class ProgramSteps:
    """Takes a step of the hook at the end of each step of the program."""

    def __init__(self, hook: TrainerHook) -> None:
        self._hook = hook
        self._leader = StepLeader(logger.info)
        self._awaited: StepFunction | None = None
        self._guard = hook._run.guard

    def count(self, step_on: StepFunction | None) -> Decorated | None:
        """Count the steps of this function; without one, those of the program's optimizers.

        Returns:
            What the program's own definition of that function must be decorated with.
        """
        if step_on is None:
            self._hook._run.no_step = "no optimizer stepped (--step-on names what else ends a step)"
            self._count_optimizers()
            return None
        self._hook._run.no_step = f"{step_on} never returned"
        self._awaited = step_on
        after = self._guarded(self._after_function)
        if step_on.module == "__main__":
            return step_on.function, functools.partial(counted, after=after)
        call_after(step_on, after, logger.warning)
        return None

    def say_if_none(self) -> None:
        """Log it where the function that was to be counted has never returned."""
        if self._awaited is not None:
            logger.warning("No step was counted: %s never returned, or was never imported.", self._awaited)

    def _count_optimizers(self) -> None:
        after = self._guarded(self._after_optimizer)
        register_optimizer_step_post_hook(after)
        for function in STEP_FUNCTIONS:
            call_after(function, after, functools.partial(logger.warning, "%s: %s", function.framework))

    def _guarded(self, action: Callable[[object], None]) -> Callable[..., None]:
        """The border to the program: no fault crosses it, and no compiler traces it."""

        def after(stepper: object, _: object) -> None:
            if self._guard.fault is None:
                self._guard.run(action, stepper)

        return untraced(after)

    def _after_optimizer(self, optimizer: object) -> None:
        if self._leader.is_step(optimizer):
            self._hook.step()

    def _after_function(self, _: object) -> None:
        self._awaited = None
        self._hook.step()
