"""The runs that a training has under way, in W&B and MLflow, neither of which is ever imported here."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from tbprof.hook.trackers.shown_window import ShownWindow

__all__ = ["Tracker", "active_trackers", "forget_mlflow_run", "name_mlflow_run"]

_PREFIX = "tbprof/"

_uncommitted: dict[str, int | None] = {}
"""By W&B's runs, the step of the row that has the figures of the latest window."""

_named: dict[str, str] = {}
"""By runs of MLflow that are active in no thread, the address of their store."""

_LONGEST_TAG = 5000
"""Characters of a tag that each of MLflow's stores takes."""


class Tracker(Protocol):
    """A run; its methods may raise whatever its package does, and take as long as a network."""

    name: str

    def log(self, window: ShownWindow) -> None:
        """Add the figures of a window, at its step, and its verdict."""

    def add_page(self, page: Path) -> None:
        """Add a file, which is gone afterwards."""


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

    def log(self, window: ShownWindow) -> None:
        run, step = self._run, f"{_PREFIX}step"
        run.define_metric(step, hidden=True)
        run.define_metric(f"{_PREFIX}*", step_metric=step)
        figures = {f"{_PREFIX}{name}": value for name, value in window.figures.items()}
        if run.id in _uncommitted and _uncommitted[run.id] == self._row():
            # The training has logged nothing since, and the window before would be overwritten.
            run.log({}, commit=True)
        # They go into the row that the training logs next: a row of theirs would move its own step on.
        run.log({**figures, step: window.step}, commit=False)
        _uncommitted[run.id] = self._row()
        run.summary.update({f"{_PREFIX}verdict": window.verdict, f"{_PREFIX}window": window.trace})

    def _row(self) -> int | None:
        """The step of the row to come; a run that several processes write has none."""
        try:
            step: int = self._run.step
        except Exception:  # noqa: BLE001 - of a package of others
            return None
        return step

    def add_page(self, page: Path) -> None:
        artifact = self._wandb.Artifact(f"tbprof-{self._run.id}", type="tbprof")
        artifact.add_file(str(page), name=page.name)
        self._run.log_artifact(artifact)


class _MlflowRun:
    name = "MLflow"

    def __init__(self, mlflow: Any, run_id: str, tracking_uri: str) -> None:
        self._mlflow, self._run_id, self._uri = mlflow, run_id, tracking_uri
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
        self._client.log_batch(self._run_id, metrics=metrics, tags=tags)

    def add_page(self, page: Path) -> None:
        self._client.log_artifact(self._run_id, str(page), "tbprof")
