"""A pinned buffer that is read one step later, when its event has passed."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 4).to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
buffer = torch.empty(2, 4, pin_memory=True)
ready = torch.cuda.Event()
for step in range(8):
    if step > 0 and ready.query():
        print(buffer.sum().item())
    y = model(torch.randn(2, 4, device="cuda"))
    buffer.copy_(y.detach(), non_blocking=True)
    ready.record()
    y.sum().backward()
    optimizer.step()
