"""A loop of Accelerate that gathers its loss."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
model = nn.Linear(4, 2)
optimizer = torch.optim.AdamW(model.parameters())
data = DataLoader(TensorDataset(torch.randn(64, 4), torch.arange(64) % 2), batch_size=4, pin_memory=True)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
for x, y in data:
    loss = nn.functional.cross_entropy(model(x), y)
    accelerator.backward(loss)
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(accelerator.gather(loss).mean().item())
