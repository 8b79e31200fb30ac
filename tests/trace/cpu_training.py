"""Trains a little on the CPU, and writes a trace with all that one can hold: `python cpu_training.py OUT`."""

from __future__ import annotations

import sys

import torch


def main(path: str) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    batch = torch.randn(4, 8)

    def step() -> None:
        model(batch).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    # The first step calls what is only called once, and would be most of the trace.
    step()
    everything = {"record_shapes": True, "profile_memory": True, "with_stack": True, "with_modules": True}
    with torch.profiler.profile(**everything) as profiler:
        step()
        profiler.step()
    profiler.export_chrome_trace(path)


if __name__ == "__main__":
    main(sys.argv[1])
