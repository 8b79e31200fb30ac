"""`python -m tbprof.demo.unwatched before`: a few small steps on a GPU, for preflight, which needs none."""

from __future__ import annotations

import sys

import torch

from tbprof.demo import after, before
from tbprof.demo.training import Job, MakeLoss, train_steps

__all__ = ["main"]

_LOSSES: dict[str, MakeLoss] = {"before": before.PatchLoss, "after": after.PatchLoss}
_STEPS = 8
"""More than preflight looks at."""


def main(name: str) -> None:
    """Train with the loss of one of the two runs."""
    job = Job(torch.device("cuda"), batch_size=4, steps=_STEPS)
    train_steps(job, _LOSSES[name], lambda: None)


if __name__ == "__main__":
    main(sys.argv[1])
