"""Masks, and other shapes that the data decides."""

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
    loss = F.cross_entropy(logits[valid], labels[valid])  #! dynamic_shape
    positives = torch.nonzero(labels == 1)  #! dynamic_shape
    rows = torch.where(labels == 2)  #! dynamic_shape
    chosen = torch.masked_select(logits, valid[:, None])  #! dynamic_shape
    classes, counts = torch.unique(labels, return_counts=True)  #! dynamic_shape
    histogram = torch.bincount(labels, minlength=5)  #! dynamic_shape
    repeated = torch.repeat_interleave(x, labels, dim=0)  #! dynamic_shape
    encoded = F.one_hot(labels)  #! dynamic_shape
    logits[valid] = logits[valid] * 2  #! dynamic_shape
    everywhere = torch.where(valid[:, None], logits, torch.zeros_like(logits))
    filled = logits.masked_fill(valid[:, None], 0.0)
    encoded_at_known_size = F.one_hot(labels, num_classes=5)
    repeated_to_known_size = torch.repeat_interleave(x, 2, dim=0)
    top = logits.topk(2).values
    y = x.clone()
    y[y > 1] = 0.0
    optimizer.zero_grad()
    loss.backward()  #! dynamic_shape
    optimizer.step()
