import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.LSTM(4, 8, num_layers=2).to(device)
optimizer = torch.optim.AdamW(model.parameters())
total = 0.0
for step in range(8):
    x = torch.randn(5, 6, 4, device=device)
    y = torch.randint(8, (6,), device=device)
    out, _ = model(x)
    loss = nn.functional.cross_entropy(out[-1], y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()
    if step % 4 == 3:
        print(f"loss {total:.4f}")
