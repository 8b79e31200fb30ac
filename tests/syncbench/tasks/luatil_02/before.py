import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Embedding(16, 8), nn.LayerNorm(8), nn.Linear(8, 16)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, foreach=False)
for step in range(7):
    x = torch.randint(16, (4, 6), device=device)
    y = torch.randint(16, (4, 6), device=device)
    optimizer.zero_grad(set_to_none=True)
    logits = model(x)
    loss = nn.functional.cross_entropy(logits.view(-1, 16), y.view(-1))
    loss.backward()
    optimizer.step()
    if step % 1 == 0:
        shown = loss.item()
