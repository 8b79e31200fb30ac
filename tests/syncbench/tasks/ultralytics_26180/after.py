import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
average = {name: p.detach().clone() for name, p in model.state_dict().items()}
for step in range(8):
    x = torch.randn(12, 8, device=device)
    target = torch.rand(12, 4, device=device)
    foreground = target[:, 0] > 0.4
    out = model(x)
    each = (out - target).square().sum(1) * foreground
    loss = each.sum() / foreground.sum().clamp(min=1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        weights = list(model.state_dict().values())
        torch._foreach_mul_(list(average.values()), 0.9)
        torch._foreach_add_(list(average.values()), weights, alpha=0.1)
