"""MMEngine: a hook for its Runner, registered under its name."""

from __future__ import annotations

from typing import Any

from mmengine.hooks import Hook, ProfilerHook
from mmengine.registry import HOOKS

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import CHECKPOINTING, EVALUATION, CallbackHook, guarded


@HOOKS.register_module()
class TbprofHook(Hook):  # type: ignore[misc, unused-ignore]
    """A step is one of `runner.iter`, or as many of them as `accumulative_counts` makes one of the optimizer.

    custom_imports = dict(imports=["tbprof.integrations.mmengine"])
    custom_hooks = [dict(type="TbprofHook", hook="logs/run1")]
    """

    priority = "VERY_LOW"

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        self.callback_hook = CallbackHook(hook)
        self._accumulated = 1

    @guarded
    def before_train(self, runner: Any) -> None:
        if any(isinstance(other, ProfilerHook) for other in runner.hooks):
            self.callback_hook.give_way("MMEngine's ProfilerHook")
        self._accumulated = getattr(runner.optim_wrapper, "_accumulative_counts", 1)
        self.callback_hook.begin(runner.iter // self._accumulated)

    @guarded
    def before_train_iter(self, *_: Any, **__: Any) -> None:
        self.callback_hook.leave()

    @guarded
    def after_train_iter(self, runner: Any, *_: Any, **__: Any) -> None:
        # The runner counts it when all hooks have been called.
        self.callback_hook.step((runner.iter + 1) // self._accumulated)

    @guarded
    def before_val(self, *_: Any) -> None:
        self.callback_hook.enter(EVALUATION)

    @guarded
    def after_val(self, *_: Any) -> None:
        self.callback_hook.leave()

    @guarded
    def before_save_checkpoint(self, *_: Any, **__: Any) -> None:
        # Nothing is called back at its end: it lasts until the next batch.
        self.callback_hook.enter(CHECKPOINTING)

    @guarded
    def after_train(self, *_: Any) -> None:
        self.callback_hook.end()
