import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")
points = nn.Parameter(torch.randn(16, 3, device=device))
optimizer = torch.optim.Adam([points], lr=0.01)
for iteration in range(8):
    camera = torch.randn(3, 2, device=device)
    picture = (points @ camera).tanh()
    loss = (picture - 0.5).abs().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    torch.cuda.empty_cache()
