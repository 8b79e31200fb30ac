"""A loop of Accelerate, whose batches drive the hook.

python examples/frameworks/accelerate_loop.py logs/accelerate
"""

from __future__ import annotations

import sys

import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset

from tbprof import TrainerHook
from tbprof.integrations.accelerate import profiled

if __name__ == "__main__":
    accelerator = Accelerator(gradient_accumulation_steps=2)
    model = torch.nn.Linear(16, 2)
    optimizer = torch.optim.AdamW(model.parameters())
    loader = DataLoader(TensorDataset(torch.randn(256, 16), torch.randint(2, (256,))), batch_size=4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    with TrainerHook(sys.argv[1] if len(sys.argv) > 1 else "logs/accelerate") as hook:
        for inputs, labels in profiled(loader, accelerator, hook):
            with accelerator.accumulate(model):
                loss = torch.nn.functional.cross_entropy(model(inputs), labels)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
