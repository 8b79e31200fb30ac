import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)


def clip(parameters, limit):
    gradients = [each.grad for each in parameters]
    largest = torch.stack(torch._foreach_norm(gradients, float("inf"))).max()
    largest = torch.where(largest > 0, largest, largest.new_ones(()))
    relative = torch._foreach_norm(torch._foreach_div(gradients, largest), 2.0)
    norm = largest.double() * torch.linalg.vector_norm(torch.stack(relative).double())
    nn.utils.clip_grads_with_norm_(parameters, limit, norm)
    return norm


optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
is_bad = torch.zeros((), dtype=torch.bool, device=device)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    is_bad = ~torch.isfinite(clip(list(model.parameters()), 0.5)) | is_bad
    optimizer.step()
    if step % 4 == 3:
        if bool(is_bad):
            raise RuntimeError("a gradient is not finite")
        print("checkpoint", step)
