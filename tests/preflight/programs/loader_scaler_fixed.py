"""Pinned batches copied without blocking, and an optimizer that looks for overflows by itself."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.Linear(16, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
scaler = torch.amp.GradScaler("cuda")
data = TensorDataset(torch.randn(64, 8), torch.arange(64) % 2)
for x, y in DataLoader(data, batch_size=4, num_workers=2, pin_memory=True):
    x, y = x.to("cuda", non_blocking=True), y.cuda(non_blocking=True)
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
