"""Trainings of Lightning with the callback."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

from recordings import recorded

import lightning
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.profilers import PyTorchProfiler
import torch
from torch.utils.data import DataLoader, TensorDataset

import tbprof
from tbprof.integrations.lightning import TbprofCallback

warnings.simplefilter("ignore")
FOLDER = Path(sys.argv[1])


class Classifier(lightning.LightningModule):
    def __init__(self, fails_at: int = -1) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(16, 2)
        self.losses: list[float] = []
        self._fails_at = fails_at

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], _: int) -> torch.Tensor:
        loss = torch.nn.functional.cross_entropy(self.layer(batch[0]), batch[1])
        self.losses.append(loss.item())
        if len(self.losses) == self._fails_at:
            raise ValueError("diverged")
        return loss

    def validation_step(self, batch: tuple[torch.Tensor, torch.Tensor], _: int) -> None:
        self.layer(batch[0])

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=0.1)


def batches() -> DataLoader[Any]:
    data = TensorDataset(torch.randn(256, 16), torch.randint(2, (256,)))
    return DataLoader(data, batch_size=2)


def trainer(*callbacks: lightning.Callback, **options: Any) -> lightning.Trainer:
    return lightning.Trainer(
        accelerator="cpu",
        default_root_dir=FOLDER,
        logger=False,
        enable_checkpointing=any(isinstance(callback, ModelCheckpoint) for callback in callbacks),
        enable_progress_bar=False,
        enable_model_summary=False,
        callbacks=list(callbacks),
        **options,
    )


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    """12 steps of four batches, an evaluation after every fifth."""
    lightning.seed_everything(0, verbose=False)
    model = Classifier()
    callbacks = [] if hook is None else [TbprofCallback(hook)]
    options = {
        "max_steps": 12,
        "accumulate_grad_batches": 4,
        "val_check_interval": 20,
        "limit_val_batches": 2,
    }
    trainer(*callbacks, **options).fit(model, batches(), batches())
    return model.losses


def checkpointed(hook: tbprof.TrainerHook) -> None:
    """A training that saves after its seventh step, and one that goes on from there."""
    saving = ModelCheckpoint(FOLDER, "seven", every_n_train_steps=7)
    trainer(TbprofCallback(hook), saving, max_steps=7).fit(Classifier(), batches())
    trainer(TbprofCallback(hook), max_steps=40).fit(Classifier(), batches(), ckpt_path=FOLDER / "seven.ckpt")


def folds(hook: tbprof.TrainerHook) -> None:
    callback = TbprofCallback(hook)
    for _ in range(3):
        trainer(callback, max_steps=6).fit(Classifier(), batches())


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        trainer(TbprofCallback(hook), max_steps=20).fit(Classifier(fails_at=9), batches())
    except ValueError as error:
        return str(error)
    return ""


def with_another_profiler(hook: tbprof.TrainerHook) -> bool:
    theirs = PyTorchProfiler(dirpath=FOLDER / "theirs", filename="theirs")
    trainer(TbprofCallback(hook), max_steps=12, profiler=theirs).fit(Classifier(), batches())
    return any((FOLDER / "theirs").glob("*.pt.trace.json"))


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "resumed", checkpointed, tbprof.Schedule(warmup=1, active=3, steps=(3, 12)))
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded(FOLDER, "another profiler", with_another_profiler)
