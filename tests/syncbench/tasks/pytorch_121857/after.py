import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(4)]).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
