"""Accelerate: it moves the batches, and the user's loop reads a loss."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(mixed_precision="bf16")
model = nn.Linear(4, 2)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
data = DataLoader(TensorDataset(torch.randn(64, 4), torch.arange(64) % 2), batch_size=4, pin_memory=True)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
for x, y in data:
    with accelerator.accumulate(model):
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    total = accelerator.gather(loss).mean().item()  #! scalar_read
# In the libraries: accelerate: upload
