"""Trainings of Hugging Face's Trainer with the callback."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from recordings import recorded

from transformers import Trainer, TrainerCallback, TrainingArguments, set_seed
import torch
from torch.profiler import profile, schedule
from torch.utils.data import Dataset

import tbprof
from tbprof.integrations.transformers import TbprofCallback

FOLDER = Path(sys.argv[1])


class Numbers(Dataset[Any]):
    def __len__(self) -> int:
        return 400

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": torch.full((4,), float(index % 7)), "labels": torch.tensor(index % 2)}


class Classifier(torch.nn.Module):
    def __init__(self, fails_at: int = -1) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 2)
        self._batches, self._fails_at = 0, fails_at

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        self._batches += 1
        if self._batches == self._fails_at:
            raise ValueError("diverged")
        logits = self.linear(x)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


class ProfilingCallback(TrainerCallback):
    """As the manuals of Hugging Face and PyTorch write one."""

    def __init__(self, profiler: profile) -> None:
        self.profiler = profiler

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.profiler.step()


def trainer(callbacks: list[TrainerCallback], model: Classifier | None = None, **options: Any) -> Trainer:
    set_seed(0)
    arguments = TrainingArguments(
        **{
            "output_dir": str(FOLDER / "out"),
            "per_device_train_batch_size": 2,
            "per_device_eval_batch_size": 2,
            "logging_steps": 2,
            "report_to": [],
            "use_cpu": True,
            "disable_tqdm": True,
            "save_strategy": "no",
            **options,
        }
    )
    evaluated = torch.utils.data.Subset(Numbers(), range(4))
    return Trainer(
        model or Classifier(), arguments, train_dataset=Numbers(), eval_dataset=evaluated, callbacks=callbacks
    )


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    """12 steps of four batches, an evaluation and a checkpoint after every fifth."""
    options = {"max_steps": 12, "gradient_accumulation_steps": 4, "eval_strategy": "steps", "eval_steps": 5}
    saving = {"save_strategy": "steps", "save_steps": 5}
    trained = trainer([] if hook is None else [TbprofCallback(hook)], **options, **saving)
    trained.train()
    return [log[key] for log in trained.state.log_history for key in ("loss", "eval_loss") if key in log]


def resumed(hook: tbprof.TrainerHook) -> None:
    """From the checkpoint of the training before."""
    checkpoint = FOLDER / "out" / "checkpoint-10"
    again = trainer([TbprofCallback(hook)], max_steps=30, gradient_accumulation_steps=4)
    again.train(resume_from_checkpoint=str(checkpoint))


def folds(hook: tbprof.TrainerHook) -> None:
    callback = TbprofCallback(hook)
    for _ in range(2):
        trainer([callback], max_steps=6).train()
    trained = trainer([callback], max_steps=6)
    trained.train()
    trained.evaluate()


def failing(hook: tbprof.TrainerHook) -> str:
    """Nothing calls back at an exception: the next training ends the window."""
    callback = TbprofCallback(hook)
    said = ""
    try:
        trainer([callback], Classifier(fails_at=8), max_steps=20).train()
    except ValueError as error:
        said = str(error)
    trainer([callback], max_steps=2).train()
    return said


def with_another_profiler(hook: tbprof.TrainerHook) -> int:
    """How many traces the other profiler wrote."""
    theirs: list[profile] = []
    cycle = schedule(wait=1, warmup=1, active=8, repeat=1)
    with profile(schedule=cycle, on_trace_ready=theirs.append) as profiler:
        trainer([ProfilingCallback(profiler), TbprofCallback(hook)], max_steps=12).train()
    return len(theirs)


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "resumed", resumed)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded(FOLDER, "another profiler", with_another_profiler)
