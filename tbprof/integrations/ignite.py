"""Ignite: handlers for the engine that trains."""

from __future__ import annotations

from ignite.engine import Engine, Events

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import EVALUATION, CallbackHook, guarded


class TbprofHandler:
    """A step is one of `engine.state.iteration`, or as many of them as make a step of the optimizer.

    TbprofHandler("logs/run1").attach(trainer, evaluator)
    """

    def __init__(self, hook: TrainerHook | AnyPath, *, accumulated_iterations: int = 1) -> None:
        """`accumulated_iterations` is what `create_supervised_trainer` calls gradient_accumulation_steps."""
        self.callback_hook = CallbackHook(hook)
        self._accumulated = accumulated_iterations

    def attach(self, trainer: Engine, *evaluators: Engine) -> None:
        """Follow a training's steps, and of evaluations, which belong to none of them."""
        trainer.add_event_handler(Events.STARTED, self._begin)
        trainer.add_event_handler(Events.ITERATION_COMPLETED, self._step)
        # One for exceptions would keep them from the program: they are left to what comes next.
        trainer.add_event_handler(Events.COMPLETED | Events.TERMINATE | Events.INTERRUPT, self._end)
        for evaluator in evaluators:
            evaluator.add_event_handler(Events.STARTED, self._enter)
            evaluator.add_event_handler(Events.COMPLETED, self._leave)

    @guarded
    def _begin(self, trainer: Engine) -> None:
        self.callback_hook.begin(trainer.state.iteration // self._accumulated)

    @guarded
    def _step(self, trainer: Engine) -> None:
        self.callback_hook.step(trainer.state.iteration // self._accumulated)

    @guarded
    def _enter(self) -> None:
        self.callback_hook.enter(EVALUATION)

    @guarded
    def _leave(self) -> None:
        self.callback_hook.leave()

    @guarded
    def _end(self) -> None:
        self.callback_hook.end()
