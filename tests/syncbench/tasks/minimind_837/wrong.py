import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda")


class MoE(nn.Module):
    def __init__(self, width=8, experts=4, top_k=2):
        super().__init__()
        self.top_k = top_k
        self.gate = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(experts))

    def forward(self, x):
        chances = self.gate(x).softmax(-1)
        share, chosen = torch.topk(chances, self.top_k, sorted=False)
        share = share / share.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        experts, order = chosen.flatten().sort(stable=True)
        numbers = torch.arange(len(self.experts) + 1, device=x.device)
        bounds = torch.searchsorted(experts, numbers).tolist()
        shares = share.flatten().view(-1, 1)
        for number, expert in enumerate(self.experts):
            start, end = bounds[number], bounds[number + 1]
            if start < end:
                rows = order[start:end] // self.top_k
                out.index_add_(0, rows, expert(x[rows]) * shares[start:end])
            elif self.training:
                out[0, 0] += sum(weight.sum() for weight in expert.parameters()) * 0
        return out


model = MoE().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    x = torch.randn(3, 8, device=device)
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
