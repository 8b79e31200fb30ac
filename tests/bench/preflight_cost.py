"""What preflight costs: an op, beside itself alone and under an empty dispatch mode, and whole steps.

    python tests/bench/preflight_cost.py

Each figure is the best of several rounds, taken in turns, so that a busy machine disturbs all
three alike. Wanted were at most twice the empty mode, and of a step at most 7 times the plain one, 3 at
the median.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import date
from functools import partial
from statistics import median
from typing import Any

import torch
from hook_cost_models import MODELS
from preflight_half import MODELS as SHAPED
from torch.utils._python_dispatch import TorchDispatchMode

from tbprof.preflight.session import Preflight

CALLS = 300
ROUNDS = 40
STEPS, STEP_ROUNDS = 6, 4


class Empty(TorchDispatchMode):  # type: ignore[misc]
    """Passes every op on."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return func(*args, **(kwargs or {}))


def forms(device: str) -> dict[str, Callable[[], Any]]:
    """Ops of an inner loop, on tensors so small that the op itself takes next to nothing."""
    x, y = torch.ones(4, 4, device=device), torch.ones(4, 4, device=device)
    rows = [torch.ones(4, device=device) for _ in range(20)]
    return {
        "x + y": lambda: x + y,
        "x.add_(y)": lambda: x.add_(y),
        "x.mul(2.0)": lambda: x.mul(2.0),
        "x.view(16)": lambda: x.view(16),
        "x @ y": lambda: x @ y,
        "torch.stack of 20": lambda: torch.stack(rows),
        "foreach_add of 20": lambda: torch._foreach_add(rows, 1.0),
    }


def microseconds(call: Callable[[], Any], around: AbstractContextManager[Any]) -> float:
    with around, torch.no_grad():
        began = time.perf_counter()
        for _ in range(CALLS):
            call()
        return (time.perf_counter() - began) / CALLS * 1e6


def training(name: str) -> Callable[[], Any]:
    """A step of a model of `preflight_half`, on the default device."""
    torch.manual_seed(0)
    make, shape = SHAPED[name]
    model, given = make(), torch.randn(shape)
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        loss = model(given).square().mean()
        loss.backward()
        optimizer.step()
        loss.item()

    return step


PROGRAMS: dict[str, Callable[[], Callable[[], Any]]] = {
    **MODELS,
    **{name: partial(training, name) for name in SHAPED},
}


def step_milliseconds(make: Callable[[], Callable[[], Any]], around: AbstractContextManager[Any]) -> float:
    """The fastest of some steps of a training that is made there."""
    steps = []
    with around:
        step = make()
        for _ in range(STEPS):
            began = time.perf_counter()
            step()
            steps.append(time.perf_counter() - began)
    return min(steps) * 1e3


@contextmanager
def on_the_device() -> Iterator[None]:
    with Preflight(steps=None), torch.device("cuda"):
        yield


def print_steps() -> None:
    """The table of whole steps."""
    print("\n| a step of | plain, ms | preflight, ms | preflight / plain |")
    print("|---|---|---|---|")
    ratios = []
    for name, make in PROGRAMS.items():
        plain = watched = float("inf")
        for _ in range(STEP_ROUNDS):
            plain = min(plain, step_milliseconds(make, nullcontext()))
            watched = min(watched, step_milliseconds(make, on_the_device()))
        ratios.append(watched / plain)
        print(f"| {name} | {plain:.1f} | {watched:.1f} | {ratios[-1]:.1f} |")
    print(f"\nAt the median {median(ratios):.1f} times, at most {max(ratios):.1f} times.")


def main() -> None:
    torch.set_num_threads(1)
    print(f"{date.today()}, {platform.machine()}, {os.cpu_count()} cores, torch {torch.__version__}\n")
    print("| op | alone, us | empty mode, us | preflight, us | preflight / empty mode |")
    print("|---|---|---|---|---|")
    plain = forms("cpu")
    for name, call in plain.items():
        alone = empty = watched = float("inf")
        for _ in range(ROUNDS):
            alone = min(alone, microseconds(call, nullcontext()))
            empty = min(empty, microseconds(call, Empty()))
            with Preflight(steps=None):
                watched = min(watched, microseconds(forms("cuda")[name], nullcontext()))
        print(f"| {name} | {alone:.1f} | {empty:.1f} | {watched:.1f} | {watched / empty:.2f} |")
    print_steps()


if __name__ == "__main__":
    main()
