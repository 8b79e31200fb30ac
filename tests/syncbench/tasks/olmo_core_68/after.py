import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    batch_loss = torch.zeros((), device=device)
    z_loss = torch.zeros((), device=device)
    optimizer.zero_grad()
    for _ in range(2):
        logits = model(torch.randn(8, 8, device=device))
        z = logits.logsumexp(1).square().mean()
        loss = logits.square().mean() + 0.01 * z
        batch_loss += loss.detach()
        z_loss += z.detach()
        loss.backward()
    optimizer.step()
