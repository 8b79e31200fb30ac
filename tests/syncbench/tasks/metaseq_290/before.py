import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


def future_mask(x):
    mask = torch.triu(torch.full((x.shape[1], x.shape[1]), float("-inf")), 1)
    return mask.to(x)


model = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(2, 6, 8, device=device)
    loss = (model(x, future_mask(x)) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
