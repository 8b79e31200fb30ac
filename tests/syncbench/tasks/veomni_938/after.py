import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
sync_each_step = False
for step in range(8):
    micro_batches = torch.randn(16, 8, device=device).split(8)
    if sync_each_step:
        torch.cuda.synchronize()
    total, totals = 0.0, {"square": 0.0}
    for micro_batch in micro_batches:
        losses = {"square": model(micro_batch).square().mean() / 2}
        loss = sum(losses.values())
        loss.backward()
        total += loss.item()
        for name, value in losses.items():
            totals[name] += value.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    print(f"loss {total:.4f} {totals['square']:.4f}")
