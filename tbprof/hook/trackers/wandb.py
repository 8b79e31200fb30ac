"""The run that a training has under way in W&B."""

from __future__ import annotations

import functools
import os
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from numbers import Integral
from pathlib import Path
from typing import Any, cast

from tbprof.hook.trackers.tracker import PREFIX, ShownWindow, Tracker

_UNPLACED = (
    "the training has logged no row for the figures of %d of its windows; they wait for the rows that it logs"
    " yet, and the latest are in the run's summary"
)


def wandb_runs() -> Iterator[Tracker]:
    wandb = sys.modules.get("wandb")
    run = getattr(wandb, "run", None)
    if run is not None:
        yield _WandbRun(wandb, run)


class _WandbRun:
    name = "W&B"

    def __init__(self, wandb: Any, run: Any) -> None:
        self._wandb, self._run = wandb, run
        self.run_id = str(run.id)

    def log(self, window: ShownWindow) -> None:
        run, step = self._run, f"{PREFIX}step"
        run.define_metric(step, hidden=True)
        figures = {f"{PREFIX}{name}": value for name, value in window.figures.items()}
        for name in figures:
            # Each by its name: a pattern of the training's own would give the row its step metric as well.
            run.define_metric(name, step_metric=step)
        LoggedRows.of(self._wandb, run).add({**figures, step: window.step})
        said = {
            "verdict": window.verdict,
            "window": window.trace,
            "latest": {**window.figures, "step": window.step},
        }
        run.summary.update({f"{PREFIX}{name}": value for name, value in said.items()})

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
