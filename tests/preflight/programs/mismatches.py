"""Tensors that were left on the host: each line would raise an error on a GPU."""

import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = nn.Linear(4, 3).to("cuda")
forgotten = nn.Linear(3, 3)
total = torch.tensor(0.0)
table = torch.linspace(0, 1, 12)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(40, 4), torch.zeros(40).long())
for x, labels in DataLoader(data, batch_size=4, pin_memory=True):
    logits = model(x.to("cuda", non_blocking=True))
    loss = F.cross_entropy(logits, labels)  #! device_mismatch
    weighted = logits * torch.ones(3)  #! device_mismatch
    fine = logits * torch.tensor(2.0)
    total += loss.detach()  #! device_mismatch
    other = forgotten(logits)  #! device_mismatch
    joined = torch.cat([logits.detach(), x[:, :3]])  #! device_mismatch
    chosen = logits.argmax(dim=1)
    looked_up = table[chosen]  #! device_mismatch
    kept = table[:4][chosen > 0]  #! device_mismatch
    table[chosen] = 1.0  #! device_mismatch
    logits.detach()[:2, [0, 1]] = torch.ones(2, 2)  #! device_mismatch
    of_the_host = table[torch.arange(3)] * table[:3]
    loss.backward()
    optimizer.step()
