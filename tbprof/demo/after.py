"""The same loss with the three lines fixed: the same values, and nothing waits."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tbprof.demo.before import WEIGHTS


class WeightedLoss(nn.Module):  # type: ignore[misc]
    """Cross entropy in which each class has a weight of its own."""

    weights: Tensor

    def __init__(self, device: torch.device) -> None:
        super().__init__()
        self.register_buffer("weights", torch.tensor(WEIGHTS, device=device))

    def forward(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Weighted mean over logits of shape (batch, classes) and labels of shape (batch,)."""
        # Fails on the device, without a read.
        torch._assert_async(labels.max() < logits.shape[1])
        picked = logits.log_softmax(dim=1).gather(1, labels[:, None])[:, 0]
        weights = self.weights[labels]
        return -(weights * picked).sum() / weights.sum()


class PatchLoss:
    """What the training calls in every step."""

    def __init__(self, device: torch.device) -> None:
        self._criterion = WeightedLoss(device)

    def __call__(self, logits: Tensor, labels: Tensor) -> Tensor:
        loss: Tensor = self._criterion(logits, labels)
        return loss
