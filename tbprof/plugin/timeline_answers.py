"""The answers of the timeline's routes: what they show comes from the process that holds the trace."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tbprof.errors import TraceError, UsageError
from tbprof.model import Window
from tbprof.plugin.analyses import Reading
from tbprof.plugin.log_directory import LogDirectory
from tbprof.plugin.timelines import Timelines
from tbprof.texts.problems import problem_of
from tbprof.views.answer import Problem, Progress

__all__ = ["TimelineAnswers"]

_PATIENCE_S = 30.0
"""For what is asked of a timeline that is open: it comes at once, unless the trace has to be read again."""


class TimelineAnswers:
    """Nothing is started until a timeline is asked for."""

    def __init__(self, logs: LogDirectory, timelines: Timelines) -> None:
        self._logs = logs
        self._timelines = timelines

    def answer(self, parameters: Mapping[str, str]) -> bytes:
        """The `TimelineAnswer` of the window that `run`, `worker` and `window` name, as JSON.

        Raises:
            UsageError: There is no such window.
        """
        window = self._window(parameters)
        if window.trace_path is None:
            return _answer("gone")
        try:
            view = self._timelines.ask(window.trace_path, "view", {})
        except TraceError as error:
            title, what_to_do = problem_of(Path(window.trace_path).name, is_too_new=False)
            return _answer("broken", problem=Problem(title, str(error), what_to_do, window.trace_path))
        if isinstance(view, Reading):
            elapsed = time.monotonic() - view.since
            return _answer("reading", progress=Progress(view.read_bytes, view.total_bytes, elapsed, 0))
        return _answer("ready", timeline=json.loads(view))

    def asking(self, ask: str) -> Callable[[Mapping[str, str]], bytes]:
        """A function from a request's parameters to what the timeline of its window answers to `ask`."""

        def answer(parameters: Mapping[str, str]) -> bytes:
            path = self._window(parameters).trace_path
            if path is None:
                raise UsageError("the trace of this window is gone, and with it its timeline")
            rest = {name: value for name, value in parameters.items() if name not in ("id", "path", "ask")}
            found = self._timelines.ask(path, ask, rest, patience_s=_PATIENCE_S)
            if isinstance(found, Reading):
                raise UsageError("the trace is still being read: ask again in a moment")
            return found

        return answer

    def _window(self, parameters: Mapping[str, str]) -> Window:
        names = [parameters.get(name, "") for name in ("run", "worker", "window")]
        window = self._logs.window(*names)
        if window is None:
            raise UsageError("there is no such window in the log directory: it may have been deleted")
        return window


def _answer(
    state: str, *, timeline: object = None, progress: Progress | None = None, problem: Problem | None = None
) -> bytes:
    """A `views.timeline.TimelineAnswer`, of which the timeline comes as JSON already."""
    parts = {
        "state": state,
        "timeline": timeline,
        "progress": None if progress is None else dataclasses.asdict(progress),
        "problem": None if problem is None else dataclasses.asdict(problem),
    }
    return json.dumps(parts).encode()
