import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
embed = nn.Linear(8, 8).to(device)
kept = torch.zeros(2, 8, device=device)


@torch.no_grad()
def token(x, padding, is_whole):
    mask = None if is_whole else padding
    if mask is not None:
        x = x * mask[:, :1]
    kept.add_(embed(x + kept))


for text in range(4):
    padding = torch.arange(6, device=device).expand(2, -1) >= text % 2
    is_whole = bool(padding.all())
    for _ in range(2):
        x = torch.randn(2, 8, device=device)
        token(x, padding, is_whole)
