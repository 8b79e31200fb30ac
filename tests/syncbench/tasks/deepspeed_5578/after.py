import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def top1_gate(logits):
    gates = logits.softmax(1)
    mask = nn.functional.one_hot(gates.argmax(1), gates.shape[1])
    counts = mask.sum(0).detach().to(logits.device)
    balance = (gates.mean(0) * mask.float().mean(0)).sum()
    return balance, gates * mask, counts


def top2_gate(logits):
    gates = logits.softmax(1)
    first = nn.functional.one_hot(gates.argmax(1), gates.shape[1])
    second = nn.functional.one_hot(logits.masked_fill(first.bool(), -1e9).argmax(1), gates.shape[1])
    counts = (first + second).sum(0).detach().to(logits.device)
    balance = (gates.mean(0) * first.float().mean(0)).sum()
    return balance, gates * (first + second), counts


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    logits = model(x)
    balance1, combined1, _ = top1_gate(logits)
    balance2, combined2, _ = top2_gate(logits)
    loss = balance1 + balance2 - combined1.mean() - combined2.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
