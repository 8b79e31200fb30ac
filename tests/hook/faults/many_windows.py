"""A training with as many windows as wanted: `many_windows.py HOW LOGDIR SPOOL COUNT`.

HOW is `hook`, or `stock` for torch's own handler. It prints one JSON object a window with what
the process holds by then.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import threading
import time
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

import tbprof

PAGE = os.sysconf("SC_PAGE_SIZE")

STEP_S = 0.01
"""Windows of nothing but steps would come much faster than any training's."""


def held() -> dict[str, int]:
    """Of what a process that leaks has more and more."""
    # Only what nobody could collect.
    gc.collect()
    return {
        "memory_bytes": int(Path("/proc/self/statm").read_text().split()[1]) * PAGE,
        "objects": len(gc.get_objects()),
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "python_threads": threading.active_count(),
        "children": len(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()),
    }


def tell() -> None:
    sys.stdout.write(json.dumps(held()) + "\n")


def step(weights: torch.Tensor) -> None:
    ((torch.rand(4, 8) @ weights - 1) ** 2).mean().backward()


def watch(logdir: str, spool: str, count: int) -> None:
    logging.basicConfig(level=logging.WARNING, format="%(name)s %(levelname)s %(message)s")
    steps = tbprof.Schedule(skip_first=1, wait=9, warmup=1, active=1, repeat=count)
    weights, told = torch.zeros(8, requires_grad=True), 0
    with tbprof.TrainerHook(logdir, schedule=steps, worker="worker", spool=spool) as hook:
        while told < count:
            step(weights)
            time.sleep(STEP_S)
            hook.step()
            recorded = hook._run._session.windows.recorded if hook._run._session else 0
            while told < recorded:
                told += 1
                tell()
        hook.close(wait_s=600)


def stock(logdir: str, count: int) -> None:
    weights = torch.zeros(8, requires_grad=True)
    for _ in range(count):
        with profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=0, warmup=1, active=1, repeat=1),
            on_trace_ready=tensorboard_trace_handler(logdir, "worker"),
        ) as profiler:
            for _ in range(2):
                step(weights)
                profiler.step()
        tell()


if __name__ == "__main__":
    if sys.argv[1] == "hook":
        watch(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        stock(sys.argv[2], int(sys.argv[4]))
