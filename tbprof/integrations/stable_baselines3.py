"""Stable-Baselines3: a callback for `learn`."""

from __future__ import annotations

from stable_baselines3.common.callbacks import BaseCallback

from tbprof.hook.options import AnyPath
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import CallbackHook, guarded


class TbprofCallback(BaseCallback):
    """A step is a rollout and the update that learns from it; both are labeled.

    model.learn(100_000, callback=TbprofCallback("logs/run1"))

    Such steps are long: `TrainerHook("logs/run1", schedule=Schedule(skip_first=2, warmup=1, active=1))`.
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        super().__init__()
        self.callback_hook = CallbackHook(hook)
        self._has_rolled_out = False

    @guarded
    def _on_training_start(self) -> None:
        self._has_rolled_out = False
        self.callback_hook.begin()

    @guarded
    def _on_rollout_start(self) -> None:
        if self._has_rolled_out:
            self.callback_hook.step()
        self.callback_hook.label("rollout")

    @guarded
    def _on_rollout_end(self) -> None:
        self._has_rolled_out = True
        self.callback_hook.leave()
        self.callback_hook.label("update")

    def _on_step(self) -> bool:
        return True

    @guarded
    def _on_training_end(self) -> None:
        if self._has_rolled_out:
            self.callback_hook.step()
        self.callback_hook.end()
