import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
buffer = torch.empty(16, 8).pin_memory()
for step in range(8):
    batch = torch.randn(16, 8)
    buffer.copy_(batch)
    x = buffer.to(device, non_blocking=True)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
