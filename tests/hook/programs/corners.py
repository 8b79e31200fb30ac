"""Programs at the corners of what torch and Python allow."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from small_training import STEPS, adamw, call, mlp, state_of, train
from torch import Tensor, nn
from watching import Watch


def _steps(watch: Watch, step: Callable[[], object], **options: Any) -> object:
    """What each step gives."""
    found = []
    with watch(**options) as hook:
        for _ in range(STEPS):
            found.append(step())
            hook.step()
    return found, torch.rand(1)


def swapped_tensors(watch: Watch) -> object:
    """Weights that change places with others, of themselves and as a module is converted."""
    torch.__future__.set_swap_module_params_on_conversion(True)

    def forward(model: nn.Module, inputs: Tensor) -> Tensor:
        first, second = torch.ones(3), inputs.sum(0)[:3]
        torch.utils.swap_tensors(first, second)
        return call(model.double().float(), inputs) * first.sum()

    def trained(**options: Any) -> object:
        model = mlp()
        optimizer = adamw(model.parameters())
        kept = torch.zeros(4), torch.arange(4.0)
        losses = []
        with watch(**options) as hook:
            for _ in range(STEPS):
                losses += train(hook, model, optimizer, steps=1, forward=forward)
                kept[0].add_(1)
                torch.utils.swap_tensors(*kept)
                (gradient,) = torch.autograd.grad(kept[1].requires_grad_().square().sum(), kept[1])
                torch.utils.swap_tensors(gradient, torch.zeros(4))
                kept[1].requires_grad_(False)
        return losses, kept, state_of(model)

    return trained(), trained(record_shapes=True)


def tracebacks_of_errors(watch: Watch) -> object:
    """Where each error went through, but for torch's own frames: it has others where a mode is active."""

    def fails_in_backward(gradient: Tensor) -> Tensor:
        raise ValueError(gradient.shape)

    class Failing(nn.Module):
        def forward(self, inputs: Tensor) -> Tensor:
            return inputs @ torch.ones(3, 3)

    failing = nn.Sequential(nn.Linear(4, 4), Failing())
    weight = torch.ones(2, requires_grad=True)
    weight.register_hook(fails_in_backward)
    causes: tuple[Callable[[], object], ...] = (
        lambda: failing(torch.ones(2, 4)),
        lambda: torch.cat([torch.ones(2), torch.ones(2, 2)]),
        lambda: torch.ones(2).item(),
        lambda: torch.ones(3).to("nowhere"),
        lambda: weight.sum().backward(),
        lambda: torch.jit.trace(lambda x: x @ torch.ones(7, 7), torch.ones(2, 2)),
    )
    # Python 3.10 has no way to leave them out.
    not_seen = [str(Path(torch.__file__).parent), *(["tbprof/hook"] if sys.version_info < (3, 11) else [])]

    def frames() -> object:
        found: list[object] = []
        for cause in causes:
            try:
                cause()
            except (RuntimeError, ValueError) as error:
                stack = traceback.extract_tb(error.__traceback__)
                found.append([one for one in stack if not any(part in one.filename for part in not_seen)])
        return found

    return _steps(watch, frames)
