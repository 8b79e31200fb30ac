"""Ultralytics: callbacks for its models."""

from __future__ import annotations

from typing import Any

from ultralytics.engine.model import Model

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import CHECKPOINTING, EVALUATION, CallbackHook, guarded


def add_callbacks(model: Model, hook: TrainerHook | AnyPath) -> None:
    """A step is a batch, counted over the epochs; with `nbs` above the batch size, gradients accumulate.

        model = YOLO("yolo11n.yaml")
        add_callbacks(model, "logs/run1")

    With several devices Ultralytics trains in processes of its own, which have no callbacks of the user.
    """
    callbacks = _Callbacks(CallbackHook(hook))
    for name in (
        "on_train_start",
        "on_train_batch_end",
        "on_train_epoch_end",
        "on_val_end",
        "on_train_epoch_start",
    ):
        model.add_callback(name, getattr(callbacks, name))
    for name in ("on_train_end", "teardown"):
        model.add_callback(name, callbacks.on_end)


class _Callbacks:
    def __init__(self, callback_hook: CallbackHook) -> None:
        self.callback_hook = callback_hook
        self._is_training = False
        self._batches = 0

    @guarded
    def on_train_start(self, trainer: Any) -> None:
        self._is_training = True
        self._batches = trainer.start_epoch * len(trainer.train_loader)
        self.callback_hook.begin(self._batches)

    @guarded
    def on_train_epoch_start(self, _: Any) -> None:
        self.callback_hook.leave()

    @guarded
    def on_train_batch_end(self, _: Any) -> None:
        self._batches += 1
        self.callback_hook.step(self._batches)

    @guarded
    def on_train_epoch_end(self, _: Any) -> None:
        self.callback_hook.enter(EVALUATION)

    @guarded
    def on_val_end(self, _: Any) -> None:
        if self._is_training:
            self.callback_hook.leave()
            self.callback_hook.enter(CHECKPOINTING)

    @guarded
    def on_end(self, _: Any) -> None:
        self._is_training = False
        self.callback_hook.end()
