"""The runs that a training has under way, in W&B and MLflow, neither of which is ever imported here."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any, Protocol, cast

from tbprof.records import dataclass

_PREFIX = "tbprof/"

_named: dict[str, str] = {}
"""The addresses of the stores of MLflow's runs that are active in no thread."""

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
    """The trackers of this process; to be asked in the thread that trains, since MLflow knows runs by
    thread.
    """
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
        # The training may turn to another server before the window is passed on.
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


_PARAMETERS = ("data", "step", "commit")
"""What W&B's `log` is given, in this order."""


class LoggedRows:
    """Stands for a run's `log`, and adds figures to what the training logs: those of one window to a row.

    W&B counts the calls of `log`. A call of ours would take a number that the training's own row has, or
    move the numbers of those after it; so no row begins or ends here.
    """

    def __init__(self, wandb: Any, run: Any) -> None:
        self._wandb, self._run, self._log = wandb, run, run.log
        functools.update_wrapper(self, self._log)
        self._process = os.getpid()
        self._waiting: deque[Mapping[str, float]] = deque()
        self._row = _row_to_come(run)
        self._has_figures = False
        """Whether the open row has those of a window: others would take their place."""
        run.log = self
        if wandb.log == self._log:
            wandb.log = self

    @classmethod
    def of(cls, wandb: Any, run: Any) -> LoggedRows:
        """The rows of a run, which are watched from now on."""
        return found if (found := cls.watched(run)) is not None else cls(wandb, run)

    @staticmethod
    def watched(run: Any) -> LoggedRows | None:
        """The rows of a run that is watched already."""
        log = run.log
        return log if type(log) is LoggedRows else None

    @property
    def waiting(self) -> int:
        """Windows whose figures are in no row yet."""
        return len(self._waiting)

    def add(self, figures: Mapping[str, float]) -> None:
        """Let the figures of a window wait for a row."""
        self._waiting.append(figures)

    def leave(self) -> None:
        """Give the run its own `log` back, unless somebody else has put another in its place."""
        if vars(self._run).get("log") is self:
            del self._run.log
        if self._wandb.log is self:
            self._wandb.log = self._log

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Log what the training does, with the figures of a window where the row has none."""
        given = {**dict(zip(_PARAMETERS, args, strict=False)), **named}
        data: Any
        data, step, commit = (given.get(name) for name in _PARAMETERS)
        if os.getpid() != self._process or not (step is None or isinstance(step, Integral)):
            return self._log(*args, **named)
        figures = self._figures_for(data, None if step is None else int(step))
        if figures:
            data = {**figures, **data}
            args, named = ((data, *args[1:]), named) if args else (args, {**named, "data": data})
        answer = self._log(*args, **named)
        if figures:
            self._waiting.popleft()
            self._has_figures = True
        if commit or (commit is None and step is None):
            self._row, self._has_figures = self._row + 1, False
        return answer

    def _figures_for(self, data: object, step: int | None) -> Mapping[str, float]:
        """What is added to a call; nothing where W&B ignores it, or its row has the figures of a window."""
        if step is not None and step > self._row:
            self._row, self._has_figures = step, False
        is_ignored = step is not None and step < self._row
        is_full = self._has_figures or not self._waiting
        return {} if is_ignored or is_full or not _is_row(data) else self._waiting[0]


def _is_row(data: object) -> bool:
    """Whether W&B makes a row of it; a proxy, whose `__class__` may run code of its own, is left as it is."""
    return issubclass(type(data), dict) and dict.__len__(cast("dict[str, Any]", data)) > 0


def _row_to_come(run: Any) -> int:
    """The step of the row to come; a run that several processes write has none."""
    try:
        step: int = run.step
    except Exception:  # noqa: BLE001 - of a package of others
        return -1
    return step


@dataclass(frozen=True, slots=True)
class ShownWindow:
    step: int
    """The training's own, at which the window began."""
    figures: Mapping[str, float]
    """The figures by the names of TensorBoard's scalars."""
    verdict: str
    trace: str
    """The published file, or its address."""

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))


def window_of_json(text: str) -> ShownWindow:
    """What `to_json` gave.

    Raises:
        ValueError: It is something else.
        TypeError: Likewise.
    """
    return ShownWindow(**json.loads(text))
