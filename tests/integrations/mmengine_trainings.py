"""Trainings of MMEngine with the hook that is registered there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from recordings import recorded

from mmengine.evaluator import BaseMetric
from mmengine.model import BaseModel
from mmengine.runner import Runner
import torch

import tbprof
import tbprof.integrations.mmengine

FOLDER = Path(sys.argv[1])
# MMEngine's checkpoints hold objects of its own, which torch would not load else.
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"


class Classifier(BaseModel):
    def __init__(self, fails_at: int = -1) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self.losses: list[float] = []
        self._fails_at = fails_at

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor, mode: str) -> Any:
        logits = self.linear(inputs)
        if mode != "loss":
            return [logits]
        loss = torch.nn.functional.cross_entropy(logits, labels)
        self.losses.append(loss.item())
        if len(self.losses) == self._fails_at:
            raise ValueError("diverged")
        return {"loss": loss}


class NoMetric(BaseMetric):
    def process(self, *_: Any) -> None:
        self.results.append(0)

    def compute_metrics(self, _: Any) -> dict[str, float]:
        return {"none": 0.0}


def runner(hook: tbprof.TrainerHook | None, iterations: int, model: Classifier, **options: Any) -> Runner:
    data = torch.utils.data.TensorDataset(torch.linspace(0, 1, 1024).reshape(256, 4), torch.arange(256) % 2)
    loader = {
        "batch_size": 2,
        "dataset": data,
        "sampler": {"type": "DefaultSampler", "shuffle": False},
        "collate_fn": {"type": "default_collate"},
    }
    accumulated = options.pop("accumulated", 1)
    return Runner(
        model,
        str(FOLDER / "work"),
        train_dataloader=loader,
        train_cfg={
            "by_epoch": False,
            "max_iters": iterations,
            "val_interval": options.pop("val_interval", 1000),
        },
        optim_wrapper={"optimizer": {"type": "SGD", "lr": 0.1}, "accumulative_counts": accumulated},
        custom_hooks=[
            *options.pop("hooks", []),
            *([] if hook is None else [{"type": "TbprofHook", "hook": hook}]),
        ],
        log_level="ERROR",
        **options,
    )


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    torch.manual_seed(0)
    model = Classifier()
    data = torch.utils.data.TensorDataset(torch.ones(4, 4), torch.zeros(4, dtype=torch.long))
    evaluating = {
        "val_dataloader": {
            "batch_size": 2,
            "dataset": data,
            "sampler": {"type": "DefaultSampler", "shuffle": False},
            "collate_fn": {"type": "default_collate"},
        },
        "val_cfg": {},
        "val_evaluator": [NoMetric()],
        "val_interval": 20,
        "default_hooks": {"checkpoint": {"type": "CheckpointHook", "interval": 20, "by_epoch": False}},
    }
    runner(
        hook, 48, model, accumulated=4, experiment_name=f"accumulating {hook is None}", **evaluating
    ).train()
    return model.losses


def resumed(hook: tbprof.TrainerHook) -> None:
    resuming = {"load_from": str(FOLDER / "work" / "iter_40.pth"), "resume": True}
    runner(hook, 60, Classifier(), experiment_name="resumed", **resuming).train()


def folds(hook: tbprof.TrainerHook) -> None:
    for fold in range(3):
        runner(hook, 6, Classifier(), experiment_name=f"fold {fold}").train()


def failing(hook: tbprof.TrainerHook) -> str:
    try:
        runner(hook, 20, Classifier(fails_at=8), experiment_name="failing").train()
    except ValueError as error:
        return str(error)
    return ""


def with_another_profiler(hook: tbprof.TrainerHook) -> bool:
    """Whether MMEngine's own wrote its trace."""
    written = FOLDER / "theirs.json"
    theirs = {"type": "ProfilerHook", "by_epoch": False, "profile_times": 20, "json_trace_path": str(written)}
    runner(hook, 20, Classifier(), experiment_name="another profiler", hooks=[theirs]).train()
    return written.stat().st_size > 0


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "resumed", resumed)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded(FOLDER, "another profiler", with_another_profiler)
