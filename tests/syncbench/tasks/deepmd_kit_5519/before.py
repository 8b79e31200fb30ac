import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5, error_if_nonfinite=True)
    optimizer.step()
    if step % 4 == 3:
        print("checkpoint", step)
