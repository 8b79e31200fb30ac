"""The run that a training has under way in Trackio."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tbprof.hook.trackers.tracker import PREFIX, ShownWindow, Tracker


def trackio_runs() -> Iterator[Tracker]:
    """The run of the thread that asks."""
    variables = getattr(sys.modules.get("trackio"), "context_vars", None)
    run = None if variables is None else variables.current_run.get()
    if run is not None:
        yield _TrackioRun(run)


class _TrackioRun:
    """Its figures go beside its rows, by the clock: one more row would move the steps of those after it."""

    name = "Trackio"

    def __init__(self, run: Any) -> None:
        self._run = run
        self.run_id = str(run.id)

    def log(self, window: ShownWindow) -> None:
        figures = {**window.figures, "step": window.step, "verdict": window.verdict}
        self._run.log_system({f"{PREFIX}{name}": value for name, value in figures.items()})

    def add_page(self, page: Path) -> None:
        # Earlier versions keep no files.
        if hasattr(self._run, "log_artifact"):
            self._run.log_artifact(page, name=f"tbprof-{self.run_id}", type="tbprof")

    def leave(self) -> str | None:
        return None
