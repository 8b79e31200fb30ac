"""Data-parallel training; a launcher gives each of its processes a rank."""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
device = torch.device("cuda", rank)
torch.manual_seed(rank)
model = DistributedDataParallel(nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2)).to(device), device_ids=[rank])
optimizer = torch.optim.AdamW(model.parameters())
for _step in range(8):
    x = torch.randn(4, 4).to(device)  #! upload
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = loss.detach().clone()
    dist.all_reduce(total)
    dist.barrier()  #! synchronize
    print(rank, total.item())  #! scalar_read
dist.destroy_process_group()
