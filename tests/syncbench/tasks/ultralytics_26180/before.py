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
    if foreground.sum() > 0:
        loss = (out[foreground] - target[foreground]).square().sum()
        loss = loss / max(foreground.sum().item(), 1)
    else:
        loss = out.sum() * 0
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for name, value in model.state_dict().items():
            average[name].mul_(0.9).add_(value, alpha=0.1)
