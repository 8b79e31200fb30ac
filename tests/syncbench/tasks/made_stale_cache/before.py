import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scale = torch.ones((), device=device)


def read(tensor):
    return tensor.item()


for step in range(8):
    x = torch.randn(16, 8, device=device)
    loss = model(x).square().mean() * read(scale)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scale.mul_(0.9)
