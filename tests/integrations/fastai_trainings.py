"""Trainings of fastai with the callback."""

from __future__ import annotations

import sys
from pathlib import Path

from recordings import recorded, recorded_beside_a_profiler

from fastai.callback.core import Callback
from fastai.callback.training import GradientAccumulation
from fastai.data.core import DataLoaders
from fastai.learner import Learner
from fastai.torch_core import set_seed
import torch

import tbprof
from tbprof.integrations.fastai import TbprofCallback

FOLDER = Path(sys.argv[1])


class Noting(Callback):
    def __init__(self, fails_at: int = -1) -> None:
        self.seen: list[float] = []
        self._fails_at = fails_at

    def after_batch(self) -> None:
        self.seen.append(self.loss.item())
        if len(self.seen) == self._fails_at:
            raise ValueError("diverged")


def fit(
    hook: tbprof.TrainerHook | None, batches: int, epochs: int = 1, *more: Callback, fails_at: int = -1
) -> list[float]:
    set_seed(0)
    inputs = torch.randn(2 * batches, 4)
    data = torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True))
    evaluated = torch.utils.data.Subset(data, range(4))
    loaders = DataLoaders.from_dsets(data, evaluated, bs=2, num_workers=0, device="cpu")
    noting = Noting(fails_at)
    learn = Learner(loaders, torch.nn.Linear(4, 1), loss_func=torch.nn.MSELoss(), lr=0.01)
    learn.logger = lambda *_: None
    learn.fit(epochs, cbs=[noting, *more, *([] if hook is None else [TbprofCallback(hook)])])
    return noting.seen


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        fit(hook, 20, fails_at=8)
    except ValueError as error:
        return str(error).splitlines()[-1]
    return ""


def folds(hook: tbprof.TrainerHook) -> None:
    for _ in range(3):
        fit(hook, 6)


recorded(FOLDER, "alone", lambda _: fit(None, 20, 3, GradientAccumulation(8)))
recorded(FOLDER, "accumulating", lambda hook: fit(hook, 20, 3, GradientAccumulation(8)))
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded_beside_a_profiler(FOLDER, lambda hook: fit(hook, 20))
