"""The DataLoaders and optimizers that a program holds."""

from __future__ import annotations

import torch
from torch.utils.data import DataLoader

from tbprof.hook.living_objects import living_loaders_and_optimizers
from tbprof.model import LoaderFacts, OptimizerFacts


class Images(list[int]):
    """A dataset."""


def test_they_are_told_with_what_decides_their_speed() -> None:
    loader = DataLoader(Images(range(4)), batch_size=2, num_workers=1, prefetch_factor=7)
    parameters = [torch.ones(2, requires_grad=True) for _ in range(3)]
    optimizer = torch.optim.AdamW([{"params": parameters[:1]}, {"params": parameters[1:]}], foreach=True)
    loaders, optimizers = living_loaders_and_optimizers()
    assert LoaderFacts("Images", 2, 1, False, 7, False) in loaders
    assert OptimizerFacts("AdamW", True, None, False, 2, 3) in optimizers
    del loader, optimizer


class OwnOptimizer(torch.optim.Optimizer):
    """One that knows nothing of torch's switches."""

    def __init__(self, parameters: list[torch.Tensor]) -> None:
        super().__init__(parameters, {"lr": 0.1})


def test_an_optimizer_of_the_user_s_own_has_no_switches() -> None:
    optimizer = OwnOptimizer([torch.ones(2)])
    assert OptimizerFacts("OwnOptimizer", None, None, None, 1, 1) in living_loaders_and_optimizers()[1]
    del optimizer
