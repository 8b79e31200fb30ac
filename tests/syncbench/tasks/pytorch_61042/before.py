import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def clip_grad_norm(parameters, max_norm):
    grads = [p.grad for p in parameters]
    total = torch.norm(torch.stack([torch.norm(g.detach()) for g in grads]))
    if total.isnan() or total.isinf():
        print("the norm of the gradients is not finite")
    coefficient = max_norm / (total + 1e-6)
    if coefficient < 1:
        for grad in grads:
            grad.detach().mul_(coefficient)
    return total


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    y = torch.randint(4, (16,), device=device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    clip_grad_norm(list(model.parameters()), 0.8)
    optimizer.step()
