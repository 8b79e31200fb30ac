"""Trainings of skorch with the callback."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from recordings import recorded, recorded_beside_a_profiler

import numpy as np
from sklearn.model_selection import cross_val_score
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback
import torch

import tbprof
from tbprof.integrations.skorch import TbprofCallback

FOLDER = Path(sys.argv[1])
INPUTS = np.random.RandomState(0).rand(200, 4).astype(np.float32)
LABELS = (INPUTS.sum(1) > 2).astype(np.int64)


class Fails(Callback):
    def on_batch_end(self, net: Any, **_: Any) -> None:
        if len(net.history[-1]["batches"]) == 7:
            raise ValueError("diverged")


def net(*callbacks: Any, epochs: int = 1) -> NeuralNetClassifier:
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Softmax(dim=-1))
    return NeuralNetClassifier(module, max_epochs=epochs, batch_size=20, verbose=0, callbacks=list(callbacks))


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    """Epochs of eight batches, and two of the validation."""
    callbacks = [] if hook is None else [TbprofCallback(hook)]
    fitted = net(*callbacks, epochs=2).fit(INPUTS, LABELS)
    return [
        batch["train_loss"] for epoch in fitted.history for batch in epoch["batches"] if "train_loss" in batch
    ]


def folds(hook: tbprof.TrainerHook) -> None:
    """scikit-learn copies the net for each of them."""
    cross_val_score(net(TbprofCallback(hook)), INPUTS[:180], LABELS[:180], cv=3, error_score="raise")


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        net(TbprofCallback(hook), Fails()).fit(INPUTS, LABELS)
    except ValueError as error:
        return str(error)
    return ""


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded_beside_a_profiler(FOLDER, accumulating)
