"""The same losses with shapes that the host knows."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Linear(8, 5).to(device)
optimizer = torch.optim.Adam(model.parameters(), foreach=True)
for _step in range(8):
    x = torch.randn(32, 8, device=device)
    labels = torch.randint(0, 5, (32,), device=device)
    logits = model(x)
    valid = labels != 3
    loss = F.cross_entropy(logits, labels.masked_fill(~valid, -100), ignore_index=-100)
    per_row = (logits.sum(1) * valid).sum() / valid.sum().clamp(min=1)
    rows = torch.nonzero_static(labels == 2, size=8)
    repeated = torch.repeat_interleave(x, torch.ones_like(labels), dim=0, output_size=32)
    encoded = F.one_hot(labels, num_classes=5)
    blended = torch.where(valid[:, None], logits * 2, logits)
    middle = torch.quantile(x, 0.5)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
