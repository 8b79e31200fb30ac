"""Trainings of Ultralytics with the callbacks."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from recordings import recorded, recorded_beside_a_profiler

FOLDER = Path(sys.argv[1])
os.environ["YOLO_CONFIG_DIR"] = str(FOLDER)

import numpy as np
from PIL import Image
from ultralytics import YOLO

import tbprof
from tbprof.integrations.ultralytics import add_callbacks


def images() -> Path:
    folder = FOLDER / "images"
    for part, number in (("train", 8), ("val", 2)):
        for label in "ab":
            (folder / part / label).mkdir(parents=True, exist_ok=True)
            for index in range(number):
                pixels = np.random.RandomState(index).randint(255, size=(32, 32, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(folder / part / label / f"{index}.png")
    return folder


def train(hook: tbprof.TrainerHook | None, epochs: int = 2, fails_at: int = -1) -> list[float]:
    """Epochs of eight batches."""
    model = YOLO("yolo11n-cls.yaml")
    losses: list[float] = []

    def note(trainer: Any) -> None:
        losses.append(float(trainer.loss))
        if len(losses) == fails_at:
            raise ValueError("diverged")

    model.add_callback("on_train_batch_end", note)
    if hook is not None:
        add_callbacks(model, hook)
    quiet = {
        "plots": False,
        "verbose": False,
        "workers": 0,
        "amp": False,
        "device": "cpu",
        "project": FOLDER / "out",
    }
    model.train(data=images(), epochs=epochs, imgsz=32, batch=2, nbs=2, **quiet)
    return losses


def folds(hook: tbprof.TrainerHook) -> None:
    for _ in range(2):
        train(hook, 1)


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        train(hook, fails_at=8)
    except ValueError as error:
        return str(error)
    return ""


recorded(FOLDER, "alone", lambda _: train(None))
recorded(FOLDER, "accumulating", train)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded_beside_a_profiler(FOLDER, train)
