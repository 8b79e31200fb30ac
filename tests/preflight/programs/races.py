"""Copies to the host that do not block, read before anything waited for them."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 4).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
buffer = torch.empty(4, pin_memory=True)
ready = torch.cuda.Event()
for _step in range(8):
    y = model(torch.randn(2, 4, device="cuda"))
    early = y.detach().to("cpu", non_blocking=True)
    wrong = early + 1  #! race
    buffer.copy_(y.detach()[0], non_blocking=True)
    values = buffer.numpy()  #! race
    torch.cuda.current_stream().synchronize()  #! synchronize
    right = buffer.numpy()
    late = y.detach().to("cpu", non_blocking=True)
    ready.record()
    ready.synchronize()  #! synchronize
    fine = late * 2
    last = y.detach().to("cpu", non_blocking=True)
    total = last.sum().item()  #! race
    pageable = torch.empty(2, 4)
    pageable.copy_(y.detach(), non_blocking=True)  #! host_read
    sums = pageable.sum()
    torch.cuda.synchronize()  #! synchronize
    y.sum().backward()
    optimizer.step()
