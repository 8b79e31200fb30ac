"""The same with all of them on the device."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Linear(4, 3).to("cuda")
total = torch.zeros((), device="cuda")
table = torch.linspace(0, 1, 12, device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(40, 4), torch.zeros(40).long())
for x, labels in DataLoader(data, batch_size=4, pin_memory=True):
    x, labels = x.to("cuda", non_blocking=True), labels.to("cuda", non_blocking=True)
    logits = model(x)
    loss = F.cross_entropy(logits, labels)
    weighted = logits * torch.ones(3, device=logits.device)
    total += loss.detach()
    joined = torch.cat([logits.detach(), x[:, :3]])
    chosen = logits.argmax(dim=1)
    looked_up = table[chosen]
    table.index_fill_(0, chosen, 1.0)
    table[chosen] = torch.full((), 2.0, device="cuda")
    loss.backward()
    optimizer.step()
