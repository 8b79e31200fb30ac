"""skorch: a callback for its nets."""

from __future__ import annotations

from typing import Any

from skorch.callbacks import Callback

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import EVALUATION, CallbackHook, guarded


class TbprofCallback(Callback):
    """A step is a batch of the training; those of the validation belong to no step.

        net = NeuralNetClassifier(module, callbacks=[TbprofCallback("logs/run1")])

    Copies of a net, as in a grid search, share a hook that is given: steps are counted on over all of them.
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        # What ends in no underscore is an argument of `__init__` to whoever copies a net.
        self.hook = hook
        self.callback_hook_ = CallbackHook(hook)
        self.is_evaluating_ = False

    @property
    def callback_hook(self) -> CallbackHook:
        """What the callbacks drive."""
        return self.callback_hook_

    @guarded
    def on_train_begin(self, *_: Any, **__: Any) -> None:
        self.callback_hook.begin()

    @guarded
    def on_batch_begin(self, *_: Any, training: bool, **__: Any) -> None:
        if not training and not self.is_evaluating_:
            self.callback_hook.enter(EVALUATION)
        self.is_evaluating_ = not training

    @guarded
    def on_batch_end(self, *_: Any, training: bool, **__: Any) -> None:
        if training:
            self.callback_hook.step()

    @guarded
    def on_epoch_end(self, *_: Any, **__: Any) -> None:
        self.is_evaluating_ = False
        self.callback_hook.leave()

    @guarded
    def on_train_end(self, *_: Any, **__: Any) -> None:
        self.callback_hook.end()
