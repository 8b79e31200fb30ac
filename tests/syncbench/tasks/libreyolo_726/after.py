import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def go_indices(pairs):
    votes = {}
    for row, column in pairs.tolist():
        votes[row, column] = votes.get((row, column), 0) + 1
    best = {}
    for row, column in sorted(votes, key=lambda pair: (-votes[pair], pair)):
        best.setdefault(row, column)
    return best


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(12, 8, device=device)
    logits = model(x)
    y = torch.randint(4, (12,), device=device)
    best = go_indices(torch.stack([y, logits.argmax(1)], 1))
    weight = sum(best.values()) * 0.01 + 1
    loss = nn.functional.cross_entropy(logits, y) * weight
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    matched = logits.detach().amax(1)
    scores = [score.item() for score in matched]
    print("scores", *scores)
