import torch

torch.manual_seed(0)
device = torch.device("cuda")
buffer = torch.zeros(3, 8, 4, device=device)
pushes = torch.zeros(8, dtype=torch.long, device=device)


def append(step, data):
    buffer[step % 3].copy_(data)
    first = (pushes <= 1).view(1, -1, 1)
    torch.where(first, data, buffer, out=buffer)
    pushes.add_(1)
    delay = torch.minimum(pushes - 1, torch.full_like(pushes, 2))
    delay = delay.clamp(min=0)
    return buffer[(step - delay) % 3, torch.arange(8, device=device)]


for step in range(8):
    seen = append(step, torch.randn(8, 4, device=device))
    pushes.masked_fill_(torch.rand(8, device=device) > 0.7, 0)
