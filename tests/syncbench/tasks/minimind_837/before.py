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
        for number, expert in enumerate(self.experts):
            is_mine = chosen == number
            if is_mine.any():
                rows = is_mine.any(dim=-1).nonzero().flatten()
                mine = share[is_mine].view(-1, 1)
                out.index_add_(0, rows, expert(x[rows]) * mine)
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
