"""Keras 3 on torch: a callback for `fit`."""

from __future__ import annotations

from typing import Any

import keras

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import EVALUATION, MICRO_BATCH, CallbackHook, guarded


class TbprofCallback(keras.callbacks.Callback):
    """A step is one of `optimizer.iterations`: with `gradient_accumulation_steps`, several batches.

    It has no `on_train_batch_end`: with one, Keras would read the losses of each batch before it goes on,
    which other callbacks are spared by a thread of its own.

    model.fit(x, y, callbacks=[TbprofCallback("logs/run1")])
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        super().__init__()
        self.callback_hook = CallbackHook(hook)
        self._batches, self._accumulated = 0, 1
        self._has_batch = False

    @guarded
    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002 - Keras passes it by its name
        optimizer = self.model.optimizer
        self._accumulated = optimizer.gradient_accumulation_steps or 1
        # The variable may be on a device: it is read once, and counted on here.
        iterations = int(optimizer.iterations)
        self._batches = iterations * self._accumulated
        self._has_batch = False
        self.callback_hook.begin(iterations)

    @guarded
    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        self._end_batch()
        self._has_batch = True
        if self._accumulated > 1:
            self.callback_hook.label(MICRO_BATCH)

    @guarded
    def on_test_begin(self, logs: Any = None) -> None:  # noqa: ARG002
        self._end_batch()
        self.callback_hook.enter(EVALUATION)

    @guarded
    def on_test_end(self, logs: Any = None) -> None:  # noqa: ARG002
        self.callback_hook.leave()

    @guarded
    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002
        self._end_batch()

    @guarded
    def on_train_end(self, logs: Any = None) -> None:  # noqa: ARG002
        self._end_batch()
        self.callback_hook.end()

    def _end_batch(self) -> None:
        if self._has_batch:
            self._has_batch = False
            self._batches += 1
            self.callback_hook.step(self._batches // self._accumulated)
