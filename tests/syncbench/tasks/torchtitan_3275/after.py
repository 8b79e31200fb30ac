import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(12, 8, device=device)
    received = torch.full((4,), 3, device=device)
    experts = torch.arange(4, device=device)
    owner = torch.repeat_interleave(experts, received, output_size=x.shape[0])
    order = torch.argsort(owner * 100 - torch.arange(12, device=device))
    loss = (model(x[order]) * owner[order].unsqueeze(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
