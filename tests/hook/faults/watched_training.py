"""A small training for the tests of faults: `watched_training.py HOW LOGDIR SPOOL`.

HOW is `bare` (no hook), `window`, `cuda` (the same beside a GPU that is played), `windows` (two of
them), `adopts` (none, but what an earlier run left), or `stock` (two windows by torch's own handler;
`stock-gz`: packed). It prints its losses and ends with 3.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
from typing import Protocol

import torch
from failing_cuda import install_if_asked
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

import tbprof

STEPS = 12
EXIT_CODE = 3


class Watcher(Protocol):
    """Whoever is told of each step."""

    def __enter__(self) -> object: ...
    def __exit__(self, *error: object) -> object: ...
    def step(self) -> object: ...


class Nobody:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...
    def step(self) -> None: ...


def watcher(how: str, logdir: str, spool: str) -> Watcher:
    if how == "bare":
        return Nobody()
    if how.startswith("stock"):
        return profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(skip_first=1, wait=1, warmup=1, active=1, repeat=2),
            on_trace_ready=tensorboard_trace_handler(logdir, "worker", use_gzip=how == "stock-gz"),
        )
    first = 10 * STEPS if how == "adopts" else 1
    steps = tbprof.Schedule(skip_first=first, warmup=1, active=1, repeat=2 if how == "windows" else 1)
    return tbprof.TrainerHook(logdir, schedule=steps, worker="worker", spool=spool)


def train(watching: Watcher) -> None:
    """The same losses whoever looks on."""
    weights = torch.zeros(8, requires_grad=True)
    for _ in range(STEPS):
        loss = ((torch.rand(4, 8) @ weights - 1) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            weights.sub_(0.1 * weights.grad)
            weights.grad = None
        sys.stdout.write(f"{loss.item()!r}\n")
        watching.step()


def main(how: str, logdir: str, spool: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(name)s %(levelname)s %(message)s")
    torch.manual_seed(0)
    if os.environ.get("DISK_ONLY") == "":
        ctypes.CDLL(None).disk_arm()
    install_if_asked()
    watching = watcher(how, logdir, spool)
    with watching:
        train(watching)
        if isinstance(watching, tbprof.TrainerHook):
            watching.close(wait_s=60)


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.exit(EXIT_CODE)
