"""A classifier of Ultralytics with tbprof's callbacks, on random images.

python examples/frameworks/ultralytics_classify.py logs/ultralytics
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from ultralytics import YOLO

from tbprof.integrations.ultralytics import add_callbacks


def images(folder: Path) -> Path:
    """Two classes, as Ultralytics wants them."""
    for part, number in (("train", 24), ("val", 2)):
        for label in "ab":
            (folder / part / label).mkdir(parents=True)
            for index in range(number):
                pixels = np.random.default_rng(index).integers(255, size=(32, 32, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(folder / part / label / f"{index}.png")
    return folder


if __name__ == "__main__":
    data = images(Path(tempfile.mkdtemp()))
    model = YOLO("yolo11n-cls.yaml")
    add_callbacks(model, sys.argv[1] if len(sys.argv) > 1 else "logs/ultralytics")
    model.train(data=data, epochs=1, imgsz=32, batch=2, workers=0, amp=False, plots=False, project=data)
