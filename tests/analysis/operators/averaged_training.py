"""Trains a little on the CPU; writes the trace, and what torch itself makes of the same run.

`python averaged_training.py TRACE AVERAGES`; a process of its own, since a profiler that takes stacks looks
at every frame of its process.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch.autograd import DeviceType
from torch.autograd.profiler_util import _filter_stack_entry
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.flop_counter import FlopCounterMode

STACK_DEPTH = 5
GROUPED: dict[str, dict[str, Any]] = {
    "name": {},
    "shapes": {"group_by_input_shape": True},
    "stack": {"group_by_stack_n": STACK_DEPTH},
}


class Doubled(torch.autograd.Function):
    """Ranges and Python frames within operators."""

    @staticmethod
    def forward(_ctx: Any, value: torch.Tensor) -> torch.Tensor:
        with record_function("in forward"):
            return (value * 2).relu()

    @staticmethod
    def backward(_ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        with record_function("in backward"):
            return gradient * 2


def training() -> Callable[[], None]:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.Linear(144, 4), torch.nn.LayerNorm(4)
    )
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        loss = Doubled.apply(model(torch.randn(4, 3, 8, 8))).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.arange(int(loss.item() > 0) + 3)

    return step


def averages(profiler: profile, by: str) -> list[dict[str, Any]]:
    return [
        {
            "name": row.key,
            "shapes": row.input_shapes,
            "stack": [frame for frame in row.stack if _filter_stack_entry(frame)],
            "calls": row.count,
            "total_us": row.cpu_time_total,
            "self_us": row.self_cpu_time_total,
        }
        for row in profiler.key_averages(**GROUPED[by])
        if row.device_type == DeviceType.CPU and not row.is_user_annotation
    ]


def flops(step: Callable[[], None]) -> dict[str, int]:
    """Of one step by operator, as torch counts them."""
    with FlopCounterMode(display=False) as counter:
        step()
    counted = counter.get_flop_counts()["Global"]
    return {str(operator).replace("aten.", "aten::"): count for operator, count in counted.items()}


def main(trace: str, averaged: str) -> None:
    step = training()
    # What is only called once would be most of the trace.
    step()
    verbose = torch._C._profiler._ExperimentalConfig(verbose=True)
    with profile(
        activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True, experimental_config=verbose
    ) as profiler:
        for _ in range(2):
            step()
            profiler.step()
    profiler.export_chrome_trace(trace)
    told = {**{by: averages(profiler, by) for by in GROUPED}, "flops": flops(step)}
    Path(averaged).write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
