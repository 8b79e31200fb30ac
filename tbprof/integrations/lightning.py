"""Lightning: a callback for its Trainer."""

from __future__ import annotations

from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
    from lightning.pytorch.loggers import MLFlowLogger
    from lightning.pytorch.profilers import PyTorchProfiler
except ImportError:
    # The same under its former name.
    from pytorch_lightning.callbacks import Callback
    from pytorch_lightning.loggers import MLFlowLogger
    from pytorch_lightning.profilers import PyTorchProfiler

from tbprof.hook.options import AnyPath
from tbprof.hook.trackers.mlflow import forget_mlflow_run, name_mlflow_run
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import (
    CHECKPOINTING,
    EVALUATION,
    MICRO_BATCH,
    CallbackHook,
    guarded,
)


class TbprofCallback(Callback):  # type: ignore[misc, unused-ignore]
    """A step is one of `trainer.global_step`: with `accumulate_grad_batches`, several batches.

    Where several optimizers step in one batch, which it counts each, a step is that batch.

    trainer = Trainer(callbacks=[TbprofCallback("logs/run1")])
    """

    def __init__(self, hook: TrainerHook | AnyPath) -> None:
        self.callback_hook = CallbackHook(hook)
        self._runs: list[str] = []

    @guarded
    def on_train_start(self, trainer: Any, pl_module: Any) -> None:  # noqa: ARG002 - Lightning's signatures
        if isinstance(trainer.profiler, PyTorchProfiler):
            self.callback_hook.give_way("Lightning's PyTorchProfiler")
        self._name_runs(trainer)
        self.callback_hook.begin(trainer.global_step)

    @guarded
    def on_train_batch_start(self, trainer: Any, *_: Any) -> None:
        self.callback_hook.leave()
        if trainer.accumulate_grad_batches > 1:
            self.callback_hook.label(MICRO_BATCH)

    @guarded
    def on_train_batch_end(self, trainer: Any, *_: Any) -> None:
        self.callback_hook.step(trainer.global_step)

    @guarded
    def on_validation_start(self, *_: Any) -> None:
        self.callback_hook.enter(EVALUATION)

    @guarded
    def on_validation_end(self, *_: Any) -> None:
        self.callback_hook.leave()

    @guarded
    def on_save_checkpoint(self, *_: Any) -> None:
        # Nothing is called back at its end: it lasts until the next batch begins.
        self.callback_hook.enter(CHECKPOINTING)

    @guarded
    def on_exception(self, *_: Any) -> None:
        self._end()

    @guarded
    def on_train_end(self, *_: Any) -> None:
        self._end()

    def _name_runs(self, trainer: Any) -> None:
        """Name the runs of loggers that make theirs with a client of MLflow; other ranks than the first have
        none.
        """
        for tracker in trainer.loggers if trainer.is_global_zero else ():
            if isinstance(tracker, MLFlowLogger) and tracker.run_id is not None:
                name_mlflow_run(tracker.run_id, tracker._tracking_uri)
                self._runs.append(tracker.run_id)

    def _end(self) -> None:
        self.callback_hook.end()
        while self._runs:
            forget_mlflow_run(self._runs.pop())
