"""The same with its batches made on the device and its losses left there."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
device = torch.device("cuda", rank)
model = DistributedDataParallel(nn.Linear(4, 2).to(device), device_ids=[rank])
optimizer = torch.optim.AdamW(model.parameters())
losses = []
for _step in range(8):
    loss = model(torch.randn(4, 4, device=device)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    losses.append(total)
dist.destroy_process_group()
