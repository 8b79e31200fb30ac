"""The training that most programs are a variation of."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from watching import Watch

STEPS = 17

Forward = Callable[[nn.Module, Tensor], Tensor]
MakeOptimizer = Callable[[Iterable[Any]], torch.optim.Optimizer]


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.BatchNorm1d(16), nn.Linear(16, 4))


def call(model: nn.Module, inputs: Tensor) -> Tensor:
    outputs: Tensor = model(inputs)
    return outputs


def adamw(parameters: Iterable[Any]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, lr=1e-2)


def train(
    hook: Any,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    steps: int = STEPS,
    forward: Forward = call,
) -> list[float]:
    """The losses of so many steps, which draw from all three generators of random numbers."""
    losses = []
    for _ in range(steps):
        inputs = torch.randn(6, 8) + random.random() + np.random.rand()
        optimizer.zero_grad()
        outputs = forward(model, inputs)
        loss = (outputs * torch.rand_like(outputs)).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        hook.step()
    return losses


def train_with(
    watch: Watch,
    *,
    model: Callable[[], nn.Module] = mlp,
    optimizer: MakeOptimizer = adamw,
    forward: Forward = call,
    steps: int = STEPS,
    **options: Any,
) -> object:
    """Train, and give all that came of it."""
    trained = model()
    made = optimizer(trained.parameters())
    with watch(**options) as hook:
        losses = train(hook, trained, made, steps=steps, forward=forward)
    return losses, state_of(trained, made)


def state_of(model: nn.Module, *optimizers: torch.optim.Optimizer) -> object:
    """All that a checkpoint would hold, and what it would not."""
    return (
        dict(model.state_dict()),
        [(name, p.grad, p.requires_grad, p.is_leaf, type(p)) for name, p in model.named_parameters()],
        [(type(m), m.training, _hooks_of(m), sorted(vars(m))) for m in model.modules()],
        [optimizer.state_dict() for optimizer in optimizers],
    )


def _hooks_of(module: nn.Module) -> list[int]:
    return [len(hooks) for name, hooks in vars(module).items() if name.endswith("_hooks")]


def each_step(watch: Watch, step: Callable[[], object], **options: Any) -> object:
    """What each step gives."""
    found = []
    with watch(**options) as hook:
        for _ in range(STEPS):
            found.append(step())
            hook.step()
    return found, torch.rand(1)
