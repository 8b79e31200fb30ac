import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(2)).to(device)
gate = nn.Linear(8, 2).to(device)
optimizer = torch.optim.SGD([*experts.parameters(), *gate.parameters()], lr=0.1)
for step in range(8):
    x = torch.randn(9, 8, device=device)
    scores = gate(x).softmax(1)
    chosen = scores.argmax(1)
    y = torch.zeros_like(x)
    for i, expert in enumerate(experts):
        rows = (chosen == i).nonzero().flatten()
        y = y.index_add(0, rows, expert(x[rows]) * scores[rows, i : i + 1])
    loss = (y - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
