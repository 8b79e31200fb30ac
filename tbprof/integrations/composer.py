"""Composer: a callback for its Trainer."""

from __future__ import annotations

from typing import Any

from composer import Callback, State

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import EVALUATION, CallbackHook, guarded


class TbprofCallback(Callback):
    """A step is one of `state.timestamp.batch`, whatever micro-batches it is cut into.

    trainer = Trainer(model, loader, callbacks=[TbprofCallback("logs/run1")])
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        self.callback_hook = CallbackHook(hook)

    @guarded
    def fit_start(self, state: State, logger: Any) -> None:  # noqa: ARG002 - Composer's signatures
        if state.profiler is not None:
            self.callback_hook.give_way("Composer's Profiler")
        self.callback_hook.begin(int(state.timestamp.batch))

    @guarded
    def batch_end(self, state: State, logger: Any) -> None:  # noqa: ARG002
        self.callback_hook.step(int(state.timestamp.batch))

    @guarded
    def eval_start(self, *_: Any) -> None:
        self.callback_hook.enter(EVALUATION)

    @guarded
    def eval_end(self, *_: Any) -> None:
        self.callback_hook.leave()

    @guarded
    def fit_end(self, *_: Any) -> None:
        self.callback_hook.end()

    @guarded
    def close(self, *_: Any) -> None:
        self.callback_hook.end()
