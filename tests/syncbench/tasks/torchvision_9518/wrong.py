import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def inter_union(a, b):
    low, high = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    overlap = (high - low).prod(1)
    area = (a[:, 2:] - a[:, :2]).prod(1) + (b[:, 2:] - b[:, :2]).prod(1)
    return overlap, area - overlap


model = nn.Linear(8, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(8):
    x = torch.randn(6, 8, device=device)
    centers = torch.rand(6, 2, device=device)
    target = torch.cat([centers, centers + 0.5], 1)
    out = model(x).sigmoid()
    boxes = torch.cat([out[:, :2], out[:, :2] + out[:, 2:] + 0.1], 1)
    overlap, union = inter_union(boxes, target)
    loss = 1 - (overlap / union).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
