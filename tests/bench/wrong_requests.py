"""Requests to a model on a CPU, some of them slow, or right: `wrong_requests.py FOLDER [--right]`."""

from __future__ import annotations

import contextlib
import sys

import torch
from torch import nn

from tbprof import Schedule, TrainerHook

IS_RIGHT = "--right" in sys.argv
REQUESTS = 30


def main(folder: str) -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(*(nn.Linear(512, 512) for _ in range(8)), nn.Dropout())
    model.train(not IS_RIGHT)
    mode = torch.inference_mode() if IS_RIGHT else contextlib.nullcontext()
    with mode, TrainerHook(folder, schedule=Schedule(skip_first=4, warmup=1, active=20)) as hook:
        for at in range(REQUESTS):
            is_long = not IS_RIGHT and at % 7 == 3
            model(torch.rand(64 * (8 if is_long else 1), 512))
            hook.step()


if __name__ == "__main__":
    main(sys.argv[1])
