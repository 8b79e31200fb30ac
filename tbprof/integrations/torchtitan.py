"""torchtitan: a profiler for the configuration of its Trainer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from torchtitan.tools.profiler import Profiler

from tbprof.hook.trainer_hook import TrainerHook


class TbprofProfiler(Profiler):
    """In the place of torchtitan's own; its memory snapshots stay.

        Trainer.Config(profiler=TbprofProfiler.Config(), ...)

    With `enable_profiling` torchtitan's own profiler runs, and the hook gives way. A step is one of the
    Trainer's, with the checkpoint and the validation that follow it.
    """

    @dataclass(kw_only=True, slots=True)
    class Config(Profiler.Config):
        """torchtitan's own, and where the windows go."""

        logdir: str = "tbprof"
        """Beneath the job's dump folder."""

    def build_torch_profiler(self, *, global_step: int, base_folder: str, leaf_folder: str) -> Any:
        """What torchtitan steps and exits."""
        if self._config.enable_profiling:
            theirs = {"global_step": global_step, "base_folder": base_folder, "leaf_folder": leaf_folder}
            return super().build_torch_profiler(**theirs)
        return _Steps(TrainerHook(Path(base_folder, self._config.logdir)), global_step)


class _Steps:
    def __init__(self, hook: TrainerHook, taken: int) -> None:
        self._hook = hook
        self._taken = taken
        hook.resume(taken)

    def step(self) -> None:
        self._taken += 1
        self._hook.step(self._taken)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._hook.__exit__(kind, error, traceback)
