"""What a scenario is: a training that runs once with the hook and once without it."""

from __future__ import annotations

from dataclasses import dataclass

PRELUDE = """
import atexit, gc, logging, os, shutil, signal, subprocess, sys, threading, time
import torch, tbprof
logging.basicConfig(level=logging.INFO, format="%(name)s %(levelname)s %(message)s")
torch.manual_seed(0)
LOGDIR = os.path.join(sys.argv[1], "logs")
SHORT = tbprof.Schedule(skip_first=1, warmup=1, active=2)

class Nobody:
    def __enter__(self): return self
    def __exit__(self, *error): pass
    def step(self): pass
    def close(self, wait_s=0): pass
    def phase(self, name): return self

def hook(logdir=LOGDIR, schedule=SHORT, **options):
    return tbprof.TrainerHook(logdir, schedule=schedule, **options) if WATCHED else Nobody()

def step():
    loss = ((torch.rand(4, 8) @ torch.rand(8, requires_grad=True) - 1) ** 2).mean()
    loss.backward()
    return loss.item()

def train(watching, steps):
    for _ in range(steps):
        print(step(), flush=True)
        watching.step()

def run(steps=8, **options):
    with hook(**options) as watching:
        train(watching, steps)
        watching.close(wait_s=60)
"""


@dataclass(frozen=True)
class Scenario:
    """`script` follows `PRELUDE`; the exit code and the output must be those of the bare run."""

    name: str
    script: str
    windows: int | None = 1
    """Published when all processes have ended; None where threads decide."""
    says: str = ""
    """Found in what the hook logs."""
    has_fault: bool = False
    """Whether the guard is to keep something from the training."""
    exit_code: int = 0


IN_WINDOW = """
watching = hook().__enter__()
train(watching, 3)
"""
"""A window is being recorded, and one of its two steps is over."""
