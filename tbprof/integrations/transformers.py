"""Hugging Face transformers: a callback for its Trainer, and those made from it."""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import (
    CHECKPOINTING,
    EVALUATION,
    LOGGING,
    MICRO_BATCH,
    CallbackHook,
    guarded,
)


class TbprofCallback(TrainerCallback):
    """A step is one of `state.global_step`: with `gradient_accumulation_steps`, several batches.

    trainer = Trainer(model, arguments, callbacks=[TbprofCallback("logs/run1")], ...)
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        self.callback_hook = CallbackHook(hook)
        self._upcoming: list[str] = []
        self._logged_step = 0

    @guarded
    def on_train_begin(self, _: Any, state: TrainerState, *__: Any, **___: Any) -> None:
        self._logged_step = state.global_step
        self.callback_hook.begin(state.global_step)

    @guarded
    def on_step_begin(self, args: TrainingArguments, *_: Any, **__: Any) -> None:
        self._begin_batch(args)

    @guarded
    def on_substep_end(self, args: TrainingArguments, *_: Any, **__: Any) -> None:
        self._begin_batch(args)

    @guarded
    def on_step_end(self, _: Any, state: TrainerState, control: TrainerControl, **__: Any) -> None:
        self.callback_hook.step(state.global_step)
        self._await(state, control)

    @guarded
    def on_epoch_end(self, _: Any, state: TrainerState, control: TrainerControl, **__: Any) -> None:
        self._await(state, control)

    @guarded
    def on_log(self, _: Any, state: TrainerState, *__: Any, **___: Any) -> None:
        self._logged_step = state.global_step
        self._is_done(LOGGING)

    @guarded
    def on_evaluate(self, *_: Any, **__: Any) -> None:
        self._is_done(EVALUATION)

    @guarded
    def on_save(self, *_: Any, **__: Any) -> None:
        self._is_done(CHECKPOINTING)

    @guarded
    def on_train_end(self, *_: Any, **__: Any) -> None:
        self.callback_hook.end()

    def _begin_batch(self, args: TrainingArguments) -> None:
        self.callback_hook.leave()
        if args.gradient_accumulation_steps > 1:
            self.callback_hook.label(MICRO_BATCH)

    def _await(self, state: TrainerState, control: TrainerControl) -> None:
        """The Trainer calls back after each of these, in this order, and before none."""
        wishes = {
            LOGGING: control.should_log and state.global_step > self._logged_step,
            EVALUATION: control.should_evaluate,
            CHECKPOINTING: control.should_save,
        }
        self._upcoming = [name for name, is_wanted in wishes.items() if is_wanted]
        self._begin_next()

    def _is_done(self, name: str) -> None:
        if self._upcoming[:1] == [name]:
            del self._upcoming[0]
            self._begin_next()

    def _begin_next(self) -> None:
        self.callback_hook.leave()
        if self._upcoming[:1] == [LOGGING]:
            # What is read there is a wait of the step.
            self.callback_hook.label(LOGGING)
        elif self._upcoming:
            self.callback_hook.enter(self._upcoming[0])
