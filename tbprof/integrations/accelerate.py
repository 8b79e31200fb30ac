"""Accelerate: its loops are the user's, so that it is the batches that drive the hook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from accelerate import Accelerator

from tbprof.hook.annotation import annotate
from tbprof.hook.trainer_hook import TrainerHook
from tbprof.integrations.callback_hook import MICRO_BATCH

Batch = TypeVar("Batch")


def profiled(
    batches: Iterable[Batch], accelerator: Accelerator, hook: TrainerHook, *, steps_taken: int | None = None
) -> Iterator[Batch]:
    """The same batches; a step ends where `accelerator.sync_gradients` says that the optimizer has stepped.

        for epoch in range(epochs):
            for batch in profiled(loader, accelerator, hook):
                ...

    What comes between two loops, as an evaluation does, belongs to no step.

    Args:
        batches: what `accelerator.prepare` made of a loader.
        accelerator: that of the training.
        hook: one for all loops; it stays open.
        steps_taken: steps before this loop by the training's own count, if it goes on from a checkpoint.
    """
    taken = steps_taken
    hook.resume(taken)
    try:
        for batch in batches:
            if accelerator.gradient_accumulation_steps > 1:
                with annotate(MICRO_BATCH):
                    yield batch
            else:
                yield batch
            if accelerator.sync_gradients:
                taken = None if taken is None else taken + 1
                hook.step(taken)
    finally:
        hook.pause()
