"""Trainings of Composer with the callback."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from recordings import recorded

warnings.simplefilter("ignore")

from composer import Trainer
from composer.models import ComposerClassifier
import torch
from torch.utils.data import DataLoader, TensorDataset

import tbprof
from tbprof.integrations.composer import TbprofCallback

FOLDER = Path(sys.argv[1])


class Network(torch.nn.Linear):
    def __init__(self, fails_at: int = -1) -> None:
        super().__init__(4, 2)
        self.seen, self._fails_at = 0, fails_at

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        self.seen += self.training
        if self.seen == self._fails_at:
            raise ValueError("diverged")
        return super().forward(inputs)


def train(
    hook: tbprof.TrainerHook | None, batches: int, fails_at: int = -1, microbatch: int = 4
) -> list[float]:
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(256, 4), torch.arange(256) % 2)
    network = Network(fails_at)
    trainer = Trainer(
        model=ComposerClassifier(network, num_classes=2),
        train_dataloader=DataLoader(data, batch_size=4),
        eval_dataloader=DataLoader(data, batch_size=4),
        eval_subset_num_batches=2,
        eval_interval="5ba",
        max_duration=f"{batches}ba",
        device="cpu",
        device_train_microbatch_size=microbatch,
        progress_bar=False,
        callbacks=[] if hook is None else [TbprofCallback(hook)],
    )
    trainer.fit()
    return [network.weight[0, 0].item(), *network.bias.tolist()]


def folds(hook: tbprof.TrainerHook) -> None:
    for _ in range(3):
        train(hook, 6)


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        train(hook, 20, fails_at=8)
    except ValueError as error:
        return str(error)
    return ""


recorded(FOLDER, "alone", lambda _: train(None, 12, microbatch=1))
recorded(FOLDER, "accumulating", lambda hook: train(hook, 12, microbatch=1))
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
