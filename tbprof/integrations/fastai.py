"""fastai: a callback for a Learner."""

from __future__ import annotations

from fastai.callback.core import Callback

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import EVALUATION, CallbackHook, guarded


class TbprofCallback(Callback):
    """A step is one of the optimizer: with GradientAccumulation, several batches.

    learn.fit_one_cycle(3, cbs=TbprofCallback("logs/run1"))
    """

    order = 100
    """After fastai's own, whose work is part of the step."""

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        super().__init__()
        self.callback_hook = CallbackHook(hook)
        self._steps = 0

    @guarded
    def before_fit(self) -> None:
        # fastai counts from 0 in each `fit`.
        self._steps = 0
        self.callback_hook.begin(0)

    @guarded
    def after_step(self) -> None:
        self._steps += 1

    @guarded
    def after_batch(self) -> None:
        if self.training:
            self.callback_hook.step(self._steps)

    @guarded
    def before_validate(self) -> None:
        self.callback_hook.enter(EVALUATION)

    @guarded
    def after_validate(self) -> None:
        self.callback_hook.leave()

    @guarded
    def after_fit(self) -> None:
        self.callback_hook.end()
