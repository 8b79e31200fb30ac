"""The hook beside gradient accumulation and evaluation.

A step is what you want to see as one: here an optimizer step of four batches. Work between
the steps, such as an evaluation, is left out of their times.

    python examples/accumulation_and_evaluation.py logs/accumulation
"""

from __future__ import annotations

import logging
import sys

import torch
from torch import nn

import tbprof

ACCUMULATED_BATCHES = 4
EVALUATION_EVERY = 8


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    """32 random inputs and their targets."""
    return torch.randn(32, 64), torch.randint(0, 10, (32,))


def train(logdir: str) -> None:
    """24 optimizer steps; steps 18 to 20 are recorded, with no evaluation among them."""
    model = nn.Linear(64, 10)
    optimizer = torch.optim.AdamW(model.parameters())
    schedule = tbprof.Schedule(skip_first=16, warmup=2, active=3)
    print(schedule)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for step in range(24):
            optimizer.zero_grad()
            for _ in range(ACCUMULATED_BATCHES):
                inputs, targets = batch()
                loss = nn.functional.cross_entropy(model(inputs), targets)
                (loss / ACCUMULATED_BATCHES).backward()
            optimizer.step()
            hook.step()
            if (step + 1) % EVALUATION_EVERY == 0:
                with hook.phase("evaluation"), torch.no_grad():
                    inputs, targets = batch()
                    accuracy = (model(inputs).argmax(dim=1) == targets).float().mean()
                    print(f"step {step}: accuracy {accuracy.item():.2f}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    train(sys.argv[1] if len(sys.argv) > 1 else "logs/accumulation")
