"""Two trainings: one bound by the host, with many small ops, and one that computes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


def transformer() -> Callable[[], None]:
    """Six layers of width 64, two sequences of 16, and an optimizer that goes weight by weight."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(64, nhead=4, dim_feedforward=128, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 6, enable_nested_tensor=False), nn.Linear(64, 10))
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False)
    return _step(model, optimizer, torch.randn(2, 16, 64), torch.randint(10, (2, 16)))


class Block(nn.Module):
    """Two convolutions and what goes around them, as in ResNet-18."""

    def __init__(self, channels_in: int, channels: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Sequential(
            nn.Conv2d(channels_in, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels), nn.ReLU()
        )
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )
        self.around = nn.Conv2d(channels_in, channels, 1, stride, bias=False)

    def forward(self, images: Tensor) -> Tensor:
        return torch.relu(self.second(self.first(images)) + self.around(images))


def conv_net() -> Callable[[], None]:
    """ResNet-18's eight blocks on four images of 64 x 64."""
    torch.manual_seed(0)
    widths = (64, 64, 64, 128, 128, 256, 256, 512, 512)
    strides = (1, 1, 2, 1, 2, 1, 2, 1)
    blocks = [Block(*pair, stride) for *pair, stride in zip(widths[:-1], widths[1:], strides, strict=True)]
    stem = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU())
    model = nn.Sequential(stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    return _step(model, optimizer, torch.randn(4, 3, 64, 64), torch.randint(10, (4,)))


def _step(
    model: nn.Module, optimizer: torch.optim.Optimizer, inputs: Tensor, labels: Tensor
) -> Callable[[], None]:
    def step() -> None:
        optimizer.zero_grad()
        outputs = model(inputs).flatten(0, -2)
        loss = nn.functional.cross_entropy(outputs, labels.flatten())
        loss.backward()
        optimizer.step()
        loss.item()

    return step


MODELS: dict[str, Callable[[], Callable[[], None]]] = {
    "transformer, host-bound": transformer,
    "conv net": conv_net,
}
