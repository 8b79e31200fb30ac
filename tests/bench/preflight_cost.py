"""What preflight costs an eager op, as a ratio to the same op alone and under an empty dispatch mode.

    python tests/bench/preflight_cost.py

Each figure is the best of several rounds, taken in turns, so that a busy machine disturbs all
three alike. At most twice the empty mode was wanted.
"""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tbprof.preflight.session import Preflight

CALLS = 300
ROUNDS = 40


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


if __name__ == "__main__":
    main()
