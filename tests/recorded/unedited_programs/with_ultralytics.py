"""A classifier of Ultralytics on random images."""

import tempfile
from pathlib import Path

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
import numpy as np
from PIL import Image
from ultralytics import YOLO

folder = Path(tempfile.mkdtemp())
for part, number in (("train", 24), ("val", 2)):
    for label in "ab":
        (folder / part / label).mkdir(parents=True)
        for index in range(number):
            pixels = np.random.default_rng(index).integers(255, size=(32, 32, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(folder / part / label / f"{index}.png")
model = YOLO("yolo11n-cls.yaml")
model.train(
    data=folder, epochs=1, imgsz=32, batch=2, nbs=2, workers=0, amp=False, plots=False, project=folder
)
