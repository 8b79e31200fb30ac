"""The hook in a plain training loop: two lines more than without it.

python examples/plain_loop.py logs/plain_loop
tensorboard --logdir logs
"""

from __future__ import annotations

import logging
import sys

import torch
from torch import nn

import tbprof


def train(logdir: str) -> None:
    """Fit a small network to random numbers for 20 steps."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total_loss = 0.0
    with tbprof.TrainerHook(logdir, with_stack=True) as hook:
        for _ in range(20):
            inputs = torch.randn(32, 64).to(device)
            targets = torch.randint(0, 10, (32,)).to(device)
            loss = nn.functional.cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # On a GPU this line waits for the whole step: tbprof says so.
            total_loss += loss.item()
            hook.step()
    print(f"mean loss {total_loss / 20:.3f}")


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    train(sys.argv[1] if len(sys.argv) > 1 else "logs/plain_loop")
