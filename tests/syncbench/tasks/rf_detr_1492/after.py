import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def match(cost):
    order = cost.detach().cpu().argmin(0)
    return order, torch.arange(cost.shape[1])


model = nn.Linear(8, 5).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(6, 8, device=device)
    targets = torch.randn(3, 4, device=device)
    out = model(x)
    cost = torch.cdist(out[:, :4], targets, p=1)
    source, target = match(cost)
    source, target = source.to(device), target.to(device)
    box = (out[source, :4] - targets[target]).abs().mean()
    score = out[source, 4].sigmoid().mean()
    size = (out[source, 2:4].exp() - targets[target, 2:].exp()).square().mean()
    loss = box + size - score
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
