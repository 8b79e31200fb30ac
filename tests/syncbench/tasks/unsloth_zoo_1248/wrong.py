import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


class Experts(nn.Module):
    def __init__(self, width=8, experts=4):
        super().__init__()
        self.experts = experts
        self.gate = nn.Linear(width, experts)
        self.bias = nn.Parameter(torch.randn(experts, width))

    def forward(self, x):
        chosen = self.gate(x).argmax(1)
        chosen, order = chosen.sort(stable=True)
        counts = torch.zeros(self.experts, dtype=torch.long, device=x.device)
        counts.scatter_add_(0, chosen, torch.ones_like(chosen))
        bias = self.bias.index_select(0, order % self.experts)
        y = torch.zeros_like(x).index_copy(0, order, x[order] + bias)
        return y * (counts.max() / x.shape[0])


model = Experts().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(16, 8, device=device)
    loss = (model(x) - x.roll(1, 0)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
