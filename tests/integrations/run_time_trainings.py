"""Small trainings with a stopwatch beside the hook: `python run_time_trainings.py KIND LOGDIR`.

What each part took is printed as JSON. Parts wait rather than work, so that a busy machine changes little.
"""

from __future__ import annotations

import json
import logging
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset

from tbprof import Schedule, TrainerHook
from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()  # Beside a CPU build of torch it does not import by itself, and frameworks would.

logging.disable(logging.WARNING)
torch.set_num_threads(1)
LOGDIR = Path(sys.argv[2])
EPOCHS, STEPS = 3, 25
DATA = TensorDataset(torch.randn(STEPS * 4, 16), torch.randint(2, (STEPS * 4,)))
took: defaultdict[str, list[float]] = defaultdict(list)


@contextmanager
def stopwatch(part: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    took[part].append(time.perf_counter() - began)


def hook() -> TrainerHook:
    return TrainerHook(LOGDIR, schedule=Schedule(skip_first=10, warmup=1, active=2), record_lines=False)


class Slow(torch.nn.Module):
    """A model whose every call takes 10 ms."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(16, 2)

    def forward(self, x: torch.Tensor, labels: Any = None) -> Any:
        time.sleep(0.01)
        scores = self.layer(x)
        return (
            scores
            if labels is None
            else {"loss": torch.nn.functional.cross_entropy(scores, labels), "scores": scores}
        )


def evaluate(model: torch.nn.Module) -> None:
    with stopwatch("evaluation"), torch.no_grad():
        for _ in range(40):
            model(torch.randn(4, 16))


def save() -> None:
    """Through a file object that is slow to write to, as a file system may be."""

    class Remote:
        def write(self, content: bytes) -> int:
            time.sleep(0.02)
            return len(content)

        def flush(self) -> None: ...

    with stopwatch("checkpoint"):
        torch.save([torch.randn(9) for _ in range(4)], Remote())


def plain(*, first_epoch: int = 0, fails: bool = False, marks: bool = False) -> None:
    model = Slow()
    optimizer = torch.optim.SGD(model.parameters())
    with hook() as watched:
        if first_epoch:
            watched.resume(first_epoch * STEPS)
        for epoch in range(first_epoch, EPOCHS):
            for at, (x, y) in enumerate(DataLoader(DATA, batch_size=4)):
                model(x, y)["loss"].backward()
                optimizer.step()
                watched.step(epoch * STEPS + at + 1)
                if fails and epoch == 1 and at == 9:
                    print(json.dumps(took), flush=True)
                    raise ValueError("diverged")
            with watched.phase("evaluation") if marks else nullcontext():
                evaluate(model)
            with watched.phase("checkpointing") if marks else nullcontext():
                save()


class SlowStart(torch.utils.data.Sampler[int]):
    """An order that takes long to draw, as that of a large dataset does, each time that a loader starts."""

    def __len__(self) -> int:
        return len(DATA)

    def __iter__(self) -> Iterator[int]:
        with stopwatch("data"):
            time.sleep(0.3)
        return iter(range(len(DATA)))


def data() -> None:
    model = Slow()
    with hook() as watched:
        for _ in range(EPOCHS):
            for batch in DataLoader(DATA, batch_size=4, sampler=SlowStart()):
                model(*batch)["loss"].backward()
                watched.step()


def lightning() -> None:
    from lightning.pytorch import LightningModule, Trainer
    from lightning.pytorch.callbacks import ModelCheckpoint

    from tbprof.integrations.lightning import TbprofCallback

    class Module(LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = Slow()

        def training_step(self, batch: Any, _: int) -> Any:
            return self.model(*batch)["loss"]

        def on_validation_start(self) -> None:
            self.began = time.perf_counter()

        def validation_step(self, batch: Any, _: int) -> None:
            self.model(batch[0])

        def on_validation_end(self) -> None:
            took["evaluation"].append(time.perf_counter() - self.began)

        def on_save_checkpoint(self, _: Any) -> None:
            with stopwatch("checkpoint"):
                time.sleep(0.2)

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters())

    trainer = Trainer(
        accelerator="cpu",
        default_root_dir=LOGDIR.parent,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
        max_epochs=EPOCHS,
        callbacks=[TbprofCallback(hook()), ModelCheckpoint(LOGDIR.parent / "saved")],
    )
    trainer.fit(Module(), DataLoader(DATA, batch_size=4), DataLoader(DATA, batch_size=4))


def transformers() -> None:
    from transformers import Trainer, TrainingArguments

    from tbprof.integrations.transformers import TbprofCallback

    class Watched(Trainer):  # type: ignore[misc]
        def evaluate(self, *args: Any, **named: Any) -> Any:
            with stopwatch("evaluation"):
                return super().evaluate(*args, **named)

        def _save_checkpoint(self, *args: Any, **named: Any) -> None:
            with stopwatch("checkpoint"):
                time.sleep(0.2)
                super()._save_checkpoint(*args, **named)

    rows = [{"x": x, "labels": y} for x, y in DATA]
    arguments = TrainingArguments(
        LOGDIR.parent / "saved",
        per_device_train_batch_size=4,
        per_device_eval_batch_size=4,
        num_train_epochs=EPOCHS,
        eval_strategy="epoch",
        save_strategy="epoch",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    Watched(
        Slow(), arguments, train_dataset=rows, eval_dataset=rows, callbacks=[TbprofCallback(hook())]
    ).train()


KINDS = {
    "plain": plain,
    "marked": lambda: plain(marks=True),
    "crash": lambda: plain(fails=True),
    "resumed": lambda: plain(first_epoch=1),
    "data": data,
    "lightning": lightning,
    "transformers": transformers,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()
    print(json.dumps(took))
