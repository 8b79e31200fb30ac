"""Twenty small trainings of many kinds: scripts of two steps, with their batch size in the environment."""

from __future__ import annotations

from collections.abc import Mapping

_SCRIPT = """
import os
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
batch = int(os.environ["TBPROF_BATCH_SIZE"])


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.mix, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.mix(x).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2) / (c // self.heads) ** 0.5).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, t, c))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.one, self.two, self.attention = nn.LayerNorm(width), nn.LayerNorm(width), Attention(width, heads)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x = x + self.attention(self.one(x))
        return x + self.feed(self.two(x))


class Last(nn.Module):
    def __init__(self, kind, *sizes):
        super().__init__()
        self.inner = kind(*sizes, batch_first=True)

    def forward(self, x):
        return self.inner(x)[0][:, -1]


class Checkpointed(nn.Module):
    def __init__(self, *blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


model = ({model}).to(device)
optimizer = {optimizer}
for step in range(2):
    x = {x}
{step}
"""

_ADAM = "torch.optim.Adam(model.parameters(), foreach=False)"
_MOMENTUM = "torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, foreach=False)"
_PLAIN = "torch.optim.SGD(model.parameters(), lr=0.01, foreach=False)"
_STEP = """
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
_ACCUMULATED = """
    for part in range(3):
        (model(x).square().mean() / 3).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
"""
_CLASSIFIED = """
    loss = F.cross_entropy(model(x).flatten(0, -2), torch.randint(0, 100, (x.numel(),), device=device))
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
    optimizer.step()
"""
_JUDGED = """
    with torch.no_grad():
        model(x)
    optimizer.step()
"""
_CLOSED = """
    def closure():
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        return loss
    optimizer.step(closure)
"""
_PENALTY = """
    x.requires_grad_()
    out = model(x).sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    optimizer.zero_grad()
    slope.square().mean().backward()
    optimizer.step()
"""
_WIDE = "torch.randn(batch, 256, device=device)"
_PICTURES = "torch.randn(batch, 3, 32, 32, device=device)"
_TEXTS = "torch.randint(0, 100, (batch, 64), device=device)"
_VECTORS = "torch.randn(batch, 64, 128, device=device)"

_MADE: Mapping[str, tuple[str, str, str, str]] = {
    "perceptron, Adam": (
        "nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 9))",
        *(_ADAM, _WIDE, _STEP),
    ),
    "deep and narrow, plain SGD": (
        "nn.Sequential(*[m for _ in range(30) for m in (nn.Linear(256, 256), nn.Tanh())])",
        *(_PLAIN, _WIDE, _STEP),
    ),
    "wide, momentum": (
        "nn.Sequential(nn.Linear(256, 4096), nn.SiLU(), nn.Linear(4096, 256))",
        *(_MOMENTUM, _WIDE, _STEP),
    ),
    "dropout": (
        "nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(256, 256), nn.Dropout(0.2))])",
        *(_ADAM, _WIDE, _STEP),
    ),
    "layer norms": (
        "nn.Sequential(*[m for _ in range(8) for m in (nn.Linear(256, 256), nn.LayerNorm(256))])",
        *(_ADAM, _WIDE, _STEP),
    ),
    "convolutions with batch norm": (
        "nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), "
        "nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.Flatten(), nn.Linear(8192, 10))",
        *(_MOMENTUM, _PICTURES, _STEP),
    ),
    "strided convolutions": (
        "nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.GELU(), "
        "nn.Conv2d(32, 64, 3, 2, 1), nn.GELU(), nn.Flatten())",
        *(_ADAM, _PICTURES, _STEP),
    ),
    "encoder and decoder": (
        "nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 3, 2, 2), nn.Sigmoid())",
        *(_ADAM, _PICTURES, _STEP),
    ),
    "group norm and upsampling": (
        "nn.Sequential(nn.Conv2d(3, 16, 1), nn.GroupNorm(4, 16), "
        "nn.Upsample(scale_factor=2), nn.Conv2d(16, 3, 1))",
        *(_ADAM, _PICTURES, _STEP),
    ),
    "convolutions of sequences": (
        "nn.Sequential(nn.Conv1d(64, 64, 3, padding=1), nn.ReLU(), "
        "nn.Conv1d(64, 64, 3, padding=1), nn.ReLU())",
        *(_ADAM, _VECTORS, _STEP),
    ),
    "LSTM": ("Last(nn.LSTM, 128, 128)", _ADAM, _VECTORS, _STEP),
    "GRU": ("Last(nn.GRU, 128, 64)", _ADAM, _VECTORS, _STEP),
    "transformer": ("nn.Sequential(Block(128, 4), Block(128, 4))", _ADAM, _VECTORS, _STEP),
    "transformer with checkpoints": (
        "Checkpointed(*[Block(128, 4) for _ in range(4)])",
        *(_ADAM, _VECTORS, _STEP),
    ),
    "language model": (
        "nn.Sequential(nn.Embedding(100, 128), Block(128, 4), Block(128, 4), nn.Linear(128, 100))",
        *(_ADAM, _TEXTS, _CLASSIFIED),
    ),
    "large vocabulary": (
        "nn.Sequential(nn.Embedding(20000, 64), nn.Linear(64, 100))",
        *(_MOMENTUM, _TEXTS, _CLASSIFIED),
    ),
    "gradients summed over three": (
        "nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 256))",
        *(_ADAM, _WIDE, _ACCUMULATED),
    ),
    "inference": (
        "nn.Sequential(nn.Linear(256, 2048), nn.ReLU(), nn.Linear(2048, 256))",
        *(_PLAIN, _WIDE, _JUDGED),
    ),
    "LBFGS": (
        "nn.Sequential(nn.Linear(256, 128), nn.Tanh(), nn.Linear(128, 1))",
        *("torch.optim.LBFGS(model.parameters(), max_iter=4)", _WIDE, _CLOSED),
    ),
    "penalty on gradients": (
        "nn.Sequential(nn.Linear(256, 512), nn.Softplus(), nn.Linear(512, 512), "
        "nn.Softplus(), nn.Linear(512, 1))",
        *(_ADAM, _WIDE, _PENALTY),
    ),
}

TRAININGS: Mapping[str, str] = {
    name: _SCRIPT.format(model=model, optimizer=optimizer, x=x, step=step)
    for name, (model, optimizer, x, step) in _MADE.items()
}
"""The script of each, which runs on the GPU where there is one: `TBPROF_BATCH_SIZE` is its batch size."""
