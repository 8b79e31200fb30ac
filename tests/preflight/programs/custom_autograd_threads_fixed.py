"""The same with its choices made on the device."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x * weight

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad = grad.clamp(-10.0, 10.0)
        return grad * weight, (grad * x).sum()


class Segment(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.weight = nn.Linear(8, 8), nn.Parameter(torch.ones(()))

    def forward(self, x):
        return Scale.apply(self.linear(x), self.weight)


norms = []
torch.manual_seed(0)
model = nn.Sequential(Segment(), nn.Dropout(0.5), nn.Linear(8, 1)).to("cuda")
model[0].linear.weight.register_hook(lambda gradient: norms.append(gradient.norm()))
optimizer = torch.optim.RMSprop(model.parameters())
for _step in range(8):
    x = torch.randn(4, 8, device="cuda", requires_grad=True)
    loss = model[2](model[1](checkpoint(model[0], x, use_reentrant=True))).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
