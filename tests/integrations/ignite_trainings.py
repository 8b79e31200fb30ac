"""Trainings of Ignite with the handler."""

from __future__ import annotations

import sys
from pathlib import Path

from recordings import recorded, recorded_beside_a_profiler

from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
import torch
from torch.utils.data import DataLoader, TensorDataset

import tbprof
from tbprof.integrations.ignite import TbprofHandler

FOLDER = Path(sys.argv[1])
STATE = FOLDER / "state.pt"


def engines(accumulated: int = 1) -> tuple[Engine, Engine, DataLoader[tuple[torch.Tensor, ...]]]:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = torch.nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, optimizer, loss, gradient_accumulation_steps=accumulated)
    data = TensorDataset(torch.randn(256, 4), torch.arange(256) % 2)
    return trainer, create_supervised_evaluator(model), DataLoader(data, batch_size=2)


def accumulating(hook: tbprof.TrainerHook | None) -> list[float]:
    trainer, evaluator, data = engines(accumulated=4)
    losses: list[float] = []
    trainer.add_event_handler(Events.ITERATION_COMPLETED, lambda engine: losses.append(engine.state.output))
    trainer.add_event_handler(
        Events.ITERATION_COMPLETED(every=20), lambda: evaluator.run(data, epoch_length=2)
    )
    if hook is not None:
        TbprofHandler(hook, accumulated_iterations=4).attach(trainer, evaluator)
    trainer.run(data, epoch_length=48)
    return losses


def resumed(hook: tbprof.TrainerHook) -> None:
    """It goes on in the second epoch."""
    trainer, _, data = engines()
    TbprofHandler(hook).attach(trainer)
    trainer.load_state_dict({"epoch": 1, "epoch_length": 30, "max_epochs": 2})
    trainer.run(data)


def folds(hook: tbprof.TrainerHook) -> None:
    handler = TbprofHandler(hook)
    for _ in range(3):
        trainer, _, data = engines()
        handler.attach(trainer)
        trainer.run(data, epoch_length=6)


def failing(hook: tbprof.TrainerHook) -> str:
    trainer, _, data = engines()
    TbprofHandler(hook).attach(trainer)

    def fail() -> None:
        raise ValueError("diverged")

    trainer.add_event_handler(Events.ITERATION_COMPLETED(once=7), fail)
    try:
        trainer.run(data, epoch_length=20)
    except ValueError as error:
        return str(error)
    return ""


recorded(FOLDER, "alone", lambda _: accumulating(None))
recorded(FOLDER, "accumulating", accumulating)
recorded(FOLDER, "resumed", resumed)
recorded(FOLDER, "folds", folds)
recorded(FOLDER, "failing", failing)
recorded_beside_a_profiler(FOLDER, accumulating)
