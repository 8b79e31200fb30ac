"""The answers of the timeline's routes: what they show comes from the process that holds the trace."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping
from typing import Literal

from tbprof.errors import Busy, Gone, TraceError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import problem_with, requested_window
from tbprof.plugin.worker.analyses import Reading
from tbprof.plugin.worker.timelines import Timelines
from tbprof.views.timeline.timeline import TimelineAnswer
from tbprof.views.window.answer import Problem, Progress

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
            Gone: There is no such window.
        """
        window = requested_window(self._logs, parameters)
        if window.trace_path is None:
            return _answer("gone")
        try:
            view = self._timelines.ask(window.trace_path, "view", {})
        except TraceError as error:
            return _answer("broken", problem=problem_with(window, error))
        if isinstance(view, Reading):
            elapsed = time.monotonic() - view.since
            return _answer("reading", progress=Progress(view.read_bytes, view.total_bytes, elapsed, 0))
        return _answer("ready", view)

    def asking(self, ask: str) -> Callable[[Mapping[str, str]], bytes]:
        """A function from a request's parameters to what the timeline of its window answers to `ask`."""

        def answer(parameters: Mapping[str, str]) -> bytes:
            path = requested_window(self._logs, parameters).trace_path
            if path is None:
                raise Gone("the trace of this window is gone, and with it its timeline")
            found = self._timelines.ask(path, ask, parameters, patience_s=_PATIENCE_S)
            if isinstance(found, Reading):
                raise Busy("the trace is still being read: ask again in a moment")
            return found

        return answer


def _answer(
    state: Literal["ready", "reading", "gone", "broken"],
    timeline: bytes = b"null",
    *,
    progress: Progress | None = None,
    problem: Problem | None = None,
) -> bytes:
    """A `TimelineAnswer`, of which the timeline comes as JSON already: it is large, and stays packed."""
    answer = dataclasses.asdict(TimelineAnswer(state, None, progress, problem))
    parts = {name: json.dumps(value).encode() for name, value in answer.items()}
    parts["timeline"] = timeline
    return b"{" + b", ".join(b'"%s": %s' % (name.encode(), part) for name, part in parts.items()) + b"}"
