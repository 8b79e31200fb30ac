"""Loops of Accelerate whose batches drive the hook."""

from __future__ import annotations

import sys
from pathlib import Path

from recordings import recorded

from accelerate import Accelerator, ProfileKwargs
import torch
from torch.profiler import profile
from torch.utils.data import DataLoader, TensorDataset

import tbprof
from tbprof.integrations.accelerate import profiled

FOLDER = Path(sys.argv[1])


def train(
    hook: tbprof.TrainerHook | None,
    *,
    steps: int = 12,
    accumulated: int = 1,
    taken: int | None = None,
    epochs: int = 1,
    fails_at: int = -1,
) -> list[float]:
    torch.manual_seed(0)
    accelerator = Accelerator(gradient_accumulation_steps=accumulated, cpu=True)
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    size = 2 * steps * accumulated
    data = DataLoader(TensorDataset(torch.randn(size, 4), torch.arange(size) % 2), batch_size=2)
    model, optimizer, data = accelerator.prepare(model, optimizer, data)
    losses: list[float] = []
    for _ in range(epochs):
        batches = data if hook is None else profiled(data, accelerator, hook, steps_taken=taken)
        for inputs, labels in batches:
            with accelerator.accumulate(model):
                loss = torch.nn.functional.cross_entropy(model(inputs), labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            losses.append(loss.item())
            if len(losses) == fails_at:
                raise ValueError("diverged")
    return losses


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        train(hook, steps=20, fails_at=8)
    except ValueError as error:
        return str(error)
    return ""


def with_another_profiler(hook: tbprof.TrainerHook) -> int:
    """How many traces Accelerate's profiler wrote."""
    theirs: list[profile] = []
    options = ProfileKwargs(activities=["cpu"], on_trace_ready=theirs.append)
    accelerator = Accelerator(cpu=True, kwargs_handlers=[options])
    with accelerator.profile():
        train(hook)
    return len(theirs)


recorded(FOLDER, "alone", lambda _: train(None, accumulated=4))
recorded(FOLDER, "accumulating", lambda hook: train(hook, accumulated=4))
recorded(FOLDER, "resumed", lambda hook: train(hook, taken=30))
recorded(FOLDER, "folds", lambda hook: train(hook, steps=6, epochs=3))
recorded(FOLDER, "failing", failing)
recorded(FOLDER, "another profiler", with_another_profiler)
