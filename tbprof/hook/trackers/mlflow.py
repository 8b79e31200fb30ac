"""The runs that a training has under way in MLflow."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tbprof.hook.trackers.tracker import PREFIX, ShownWindow, Tracker

_named: dict[str, str] = {}
"""The addresses of the stores of MLflow's runs that are active in no thread."""

_LONGEST_TAG = 5000
"""Characters of a tag that each of MLflow's stores takes."""


def name_mlflow_run(run_id: str, tracking_uri: str) -> None:
    """A run is under way that a client alone has made, of which MLflow's package does not know."""
    _named[run_id] = tracking_uri


def forget_mlflow_run(run_id: str) -> None:
    """What was named is over; one that was not named is let be."""
    _named.pop(run_id, None)


def mlflow_runs() -> Iterator[Tracker]:
    mlflow: Any = sys.modules.get("mlflow")
    active_run = getattr(mlflow, "active_run", None)
    if active_run is None:
        return
    runs = dict(_named)
    run = active_run()
    if run is not None:
        # The training may turn to another server before the window is passed on.
        runs[run.info.run_id] = mlflow.get_tracking_uri()
    for run_id, tracking_uri in runs.items():
        yield _MlflowRun(mlflow, run_id, tracking_uri)


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
            entities.Metric(f"{PREFIX}{name}", value, now_ms, window.step)
            for name, value in window.figures.items()
        ]
        said = {"verdict": window.verdict, "window": window.trace}
        tags = [entities.RunTag(f"tbprof.{name}", text[:_LONGEST_TAG]) for name, text in said.items()]
        self._client.log_batch(self.run_id, metrics=metrics, tags=tags)

    def add_page(self, page: Path) -> None:
        self._client.log_artifact(self.run_id, str(page), "tbprof")

    def leave(self) -> str | None:
        return None
