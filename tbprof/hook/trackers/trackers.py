"""The runs that a training has under way, in W&B and MLflow, neither of which is ever imported here."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from tbprof.hook.trackers.shown_window import ShownWindow
from tbprof.hook.trackers.wandb_rows import LoggedRows

_PREFIX = "tbprof/"

_named: dict[str, str] = {}
"""By runs of MLflow that are active in no thread, the address of their store."""

_UNPLACED = (
    "the training has logged no row for the figures of %d of its windows; they wait for the rows that it logs"
    " yet, and the latest are in the run's summary"
)

_LONGEST_TAG = 5000
"""Characters of a tag that each of MLflow's stores takes."""


class Tracker(Protocol):
    """A run; its methods may raise whatever its package does, and take as long as a network."""

    name: str
    run_id: str

    def log(self, window: ShownWindow) -> None:
        """Add the figures of a window, at its step, and its verdict."""

    def add_page(self, page: Path) -> None:
        """Add a file, which is gone afterwards."""

    def leave(self) -> str | None:
        """Nothing follows; what is to be said of what the run lacks."""


def active_trackers() -> tuple[Tracker, ...]:
    """Of this process; to be asked in the thread that trains, since MLflow knows runs by thread."""
    return (*_wandb_runs(), *_mlflow_runs())


def name_mlflow_run(run_id: str, tracking_uri: str) -> None:
    """A run is under way that a client alone has made, of which MLflow's package does not know."""
    _named[run_id] = tracking_uri


def forget_mlflow_run(run_id: str) -> None:
    """What was named is over; one that was not named is let be."""
    _named.pop(run_id, None)


def _wandb_runs() -> Iterator[Tracker]:
    wandb = sys.modules.get("wandb")
    run = getattr(wandb, "run", None)
    if run is not None:
        yield _WandbRun(wandb, run)


def _mlflow_runs() -> Iterator[Tracker]:
    mlflow: Any = sys.modules.get("mlflow")
    active_run = getattr(mlflow, "active_run", None)
    if active_run is None:
        return
    runs = dict(_named)
    run = active_run()
    if run is not None:
        # The training may turn to another server before the window is told of.
        runs[run.info.run_id] = mlflow.get_tracking_uri()
    for run_id, tracking_uri in runs.items():
        yield _MlflowRun(mlflow, run_id, tracking_uri)


class _WandbRun:
    name = "W&B"

    def __init__(self, wandb: Any, run: Any) -> None:
        self._wandb, self._run = wandb, run
        self.run_id = str(run.id)

    def log(self, window: ShownWindow) -> None:
        run, step = self._run, f"{_PREFIX}step"
        run.define_metric(step, hidden=True)
        figures = {f"{_PREFIX}{name}": value for name, value in window.figures.items()}
        for name in figures:
            # Each by its name: a pattern of the training's own would give the row its step metric as well.
            run.define_metric(name, step_metric=step)
        LoggedRows.of(self._wandb, run).add({**figures, step: window.step})
        said = {
            "verdict": window.verdict,
            "window": window.trace,
            "latest": {**window.figures, "step": window.step},
        }
        run.summary.update({f"{_PREFIX}{name}": value for name, value in said.items()})

    def add_page(self, page: Path) -> None:
        artifact = self._wandb.Artifact(f"tbprof-{self._run.id}", type="tbprof")
        artifact.add_file(str(page), name=page.name)
        self._run.log_artifact(artifact)

    def leave(self) -> str | None:
        rows = LoggedRows.watched(self._run)
        if rows is None:
            return None
        if rows.waiting:
            return _UNPLACED % rows.waiting
        rows.leave()
        return None


class _MlflowRun:
    name = "MLflow"

    def __init__(self, mlflow: Any, run_id: str, tracking_uri: str) -> None:
        self._mlflow, self.run_id, self._uri = mlflow, run_id, tracking_uri
        self._connected: Any = None

    @property
    def _client(self) -> Any:
        # To make one may take as long as a network.
        if self._connected is None:
            self._connected = self._mlflow.MlflowClient(tracking_uri=self._uri)
        return self._connected

    def log(self, window: ShownWindow) -> None:
        entities, now_ms = self._mlflow.entities, time.time_ns() // 1_000_000
        metrics = [
            entities.Metric(f"{_PREFIX}{name}", value, now_ms, window.step)
            for name, value in window.figures.items()
        ]
        said = {"verdict": window.verdict, "window": window.trace}
        tags = [entities.RunTag(f"tbprof.{name}", text[:_LONGEST_TAG]) for name, text in said.items()]
        self._client.log_batch(self.run_id, metrics=metrics, tags=tags)

    def add_page(self, page: Path) -> None:
        self._client.log_artifact(self.run_id, str(page), "tbprof")

    def leave(self) -> str | None:
        return None
