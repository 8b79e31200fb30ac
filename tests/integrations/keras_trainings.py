"""Trainings of Keras on torch with the callback."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from recordings import recorded, recorded_beside_a_profiler

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

import tbprof
from tbprof.integrations.keras import TbprofCallback

FOLDER = Path(sys.argv[1])

# Keras reads the losses of each batch at once for the sake of a callback that has one of its own.
assert TbprofCallback.on_train_batch_end is keras.callbacks.Callback.on_train_batch_end


def compiled(accumulated: int | None = None) -> Any:
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.SGD(gradient_accumulation_steps=accumulated), loss="mse")
    return model


def fit(model: Any, hook: tbprof.TrainerHook | None, batches: int, *more: Any, **options: Any) -> list[float]:
    inputs = np.linspace(0, 1, 4 * 2 * batches, dtype=np.float32).reshape(-1, 4)
    callbacks = [*more, *([] if hook is None else [TbprofCallback(hook)])]
    data = (inputs, inputs.sum(1, keepdims=True))
    history = model.fit(*data, batch_size=2, verbose=0, shuffle=False, callbacks=callbacks, **options)
    return [float(loss) for loss in history.history["loss"]]


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    """Epochs of 20 batches, an evaluation after each."""
    return fit(compiled(4), hook, 25, epochs=3, validation_split=0.2)


def resumed(hook: tbprof.TrainerHook) -> None:
    model = compiled()
    model.optimizer.build(model.trainable_variables)
    model.optimizer.iterations.assign(30)
    fit(model, hook, 12)


def folds(hook: tbprof.TrainerHook) -> None:
    for _ in range(3):
        fit(compiled(), hook, 6)


def failing(hook: tbprof.TrainerHook) -> str:
    def fail(batch: int, logs: Any) -> None:
        if logs is not None and batch == 7:
            raise ValueError("diverged")

    try:
        fit(compiled(), hook, 20, keras.callbacks.LambdaCallback(on_train_batch_end=fail))
    except ValueError as error:
        return str(error)
    return ""


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "resumed", resumed)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded_beside_a_profiler(FOLDER, accumulating)
