"""One training run of the patch classifier, watched by the hook."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor, nn

from tbprof.demo.patches import CLASSES, patch_loader
from tbprof.errors import UsageError
from tbprof.hook.schedule import Schedule
from tbprof.hook.trainer_hook import TrainerHook

MakeLoss: TypeAlias = Callable[[torch.device], Callable[[Tensor, Tensor], Tensor]]

WARMUP_STEPS = 3
RECORDED_STEPS = 5
AUDIT_STEPS = 1
"""The step after the recorded ones, in which the hook sees the lines."""

FEWEST_STEPS = 2 + WARMUP_STEPS + RECORDED_STEPS + AUDIT_STEPS
"""The first step is no measure; at least one more must run without a profiler."""

PUBLISH_SECONDS = 120.0

_MOST_LOADER_PROCESSES = 8


@dataclass(frozen=True, slots=True)
class Job:
    """The size of a run and where it runs."""

    device: torch.device
    batch_size: int
    steps: int
    loader_processes: int
    """0 loads in the training's own process."""


def job_for(steps: int | None) -> Job:
    """The job of this machine: a real small one on a GPU, a fraction of it on a CPU.

    Raises:
        UsageError: `steps` has no room for the recorded ones.
    """
    if steps is not None and steps < FEWEST_STEPS:
        raise UsageError(f"The demo can't train for {steps} steps; give {FEWEST_STEPS} or more.")
    if torch.cuda.is_available():
        processes = min(_MOST_LOADER_PROCESSES, os.cpu_count() or 1)
        return Job(torch.device("cuda"), batch_size=128, steps=steps or 60, loader_processes=processes)
    return Job(torch.device("cpu"), batch_size=4, steps=steps or FEWEST_STEPS, loader_processes=0)


def train(
    job: Job,
    make_loss: MakeLoss,
    logdir: Path,
    *,
    after_step: Callable[[int], None],
    before_publishing: Callable[[], None],
) -> float:
    """Train from the same start on the same batches, and publish the last steps into `logdir`.

    Args:
        job: What is trained.
        make_loss: The loss before or after its fixes.
        logdir: The log directory of the run.
        after_step: Called with the number of each step, from 1 on.
        before_publishing: Called once all steps are done.

    Returns:
        The loss of the last step.
    """
    before = job.steps - WARMUP_STEPS - RECORDED_STEPS - AUDIT_STEPS
    schedule = Schedule(skip_first=before, warmup=WARMUP_STEPS, active=RECORDED_STEPS)
    with TrainerHook(logdir, schedule=schedule, with_stack=job.device.type == "cuda") as hook:

        def step_done(step: int) -> None:
            hook.step()
            after_step(step)

        loss = train_steps(job, make_loss, step_done)
        before_publishing()
        hook.close(wait_s=PUBLISH_SECONDS)
    last_loss: float = loss.item()
    return last_loss


def train_steps(job: Job, make_loss: MakeLoss, after_step: Callable[[int], None]) -> Tensor:
    """The training itself; its last loss stays where it is."""
    torch.manual_seed(0)
    model = _patch_classifier().to(job.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    patch_loss = make_loss(job.device)
    loss = torch.tensor(0.0)
    pin_memory = job.device.type == "cuda"
    loader = patch_loader(job.batch_size, job.steps, processes=job.loader_processes, pin_memory=pin_memory)
    for step, (patches, labels) in enumerate(loader, start=1):
        logits = model(patches.to(job.device, non_blocking=True))
        loss = patch_loss(logits, labels.to(job.device, non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        after_step(step)
    return loss


def _patch_classifier() -> nn.Module:
    return nn.Sequential(
        *_convolution(3, 64, stride=1),
        *_convolution(64, 128, stride=2),
        *_convolution(128, 256, stride=2),
        *_convolution(256, 512, stride=2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(512, CLASSES),
    )


def _convolution(inputs: int, outputs: int, *, stride: int) -> list[nn.Module]:
    convolution = nn.Conv2d(inputs, outputs, kernel_size=3, stride=stride, padding=1, bias=False)
    return [convolution, nn.BatchNorm2d(outputs), nn.ReLU()]
