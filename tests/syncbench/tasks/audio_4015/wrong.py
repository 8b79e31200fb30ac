import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def mask_along_axis(spectrogram, start, width):
    value = spectrogram.mean()
    at = torch.arange(spectrogram.shape[1], device=spectrogram.device)
    mask = (at >= start) & (at < start + width)
    return torch.where(mask, spectrogram, value)


model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = mask_along_axis(torch.randn(16, 8, device=device), step % 4, 3)
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
