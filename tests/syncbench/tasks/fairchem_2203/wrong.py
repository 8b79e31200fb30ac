import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def task_loss(prediction, target, mask):
    loss = (prediction - target).abs()
    total = (loss * mask).sum()
    loss = torch.nan_to_num(total / mask.numel())
    return loss * mask.any()


model = nn.Linear(8, 3).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(12, 8, device=device)
    targets = torch.randn(12, 3, device=device)
    masks = targets > -0.5
    out = model(x)
    losses = [task_loss(out[:, i], targets[:, i], masks[:, i]) for i in range(3)]
    loss = torch.stack(losses).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
