"""Waits inside custom functions, hooks, recomputed segments and threads of the program's own."""

import threading
from concurrent.futures import ThreadPoolExecutor

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
        limit = torch.tensor(10.0, device=grad.device)  #! upload
        if grad.abs().max() > limit:  #! control_flow
            grad = grad.clamp(-limit, limit)
        return grad * weight, (grad * x).sum()


class Segment(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.weight = nn.Linear(8, 8), nn.Parameter(torch.ones(()))

    def forward(self, x):
        y = self.linear(x)
        print(y.mean().item())  #! scalar_read
        return Scale.apply(y, self.weight)


def log_gradient(gradient):
    gradient.norm().item()  #! scalar_read
    return gradient


class Logger(threading.Thread):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def run(self):
        self.value.tolist()  #! host_read


torch.manual_seed(0)
model = nn.Sequential(Segment(), nn.Dropout(0.5), nn.Linear(8, 1)).to("cuda")
model[0].linear.weight.register_hook(log_gradient)
optimizer = torch.optim.RMSprop(model.parameters())
pool = ThreadPoolExecutor(1)
for _step in range(8):
    x = torch.randn(4, 8, device="cuda", requires_grad=True)
    hidden = checkpoint(model[0], x, use_reentrant=False)
    loss = model[2](model[1](hidden)).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    logger = Logger(loss.detach())
    logger.start()
    logger.join()
    pool.submit(lambda value: float(value), loss.detach()).result()  #! scalar_read
