"""What the timeline, the flame graph and the tables show: it comes from the process that holds the trace."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from tbprof.errors import Busy, Gone, NotComparable, TraceError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import in_log_directory, problem_with, requested_window
from tbprof.plugin.worker.analyses import Reading
from tbprof.plugin.worker.kept_answers import Answer, KeptAnswers
from tbprof.plugin.worker.open_traces import OpenTraces
from tbprof.plugin.worker.reports import files_of
from tbprof.texts.screens.comparison import not_comparable
from tbprof.views.icicle.icicle import IcicleAnswer
from tbprof.views.memory.memory import MemoryAnswer
from tbprof.views.modules.modules import ModulesAnswer
from tbprof.views.roofline.roofline import RooflineAnswer
from tbprof.views.tables.screen import TableAnswer
from tbprof.views.timeline.timeline import TimelineAnswer
from tbprof.views.window.answer import Problem, Progress

__all__ = ["TraceAnswers"]

_PATIENCE_S = 30.0
"""For what is asked of a timeline that is open: it comes at once, unless the trace has to be read again."""

_KEPT_BYTES = 16 * 1024 * 1024

_Record: TypeAlias = (
    TimelineAnswer | IcicleAnswer | MemoryAnswer | ModulesAnswer | RooflineAnswer | TableAnswer
)
_Answer: TypeAlias = Callable[..., _Record]
"""Makes one of its state, progress and problem."""

_VIEWS = {
    TimelineAnswer: "timeline",
    IcicleAnswer: "icicle",
    MemoryAnswer: "memory",
    ModulesAnswer: "modules",
    RooflineAnswer: "roofline",
    TableAnswer: "view",
}
"""Its field with what is shown."""


class TraceAnswers:
    """Nothing is started until a timeline is asked for."""

    def __init__(self, logs: LogDirectory, traces: OpenTraces) -> None:
        self._logs = logs
        self._traces = traces
        self._kept = KeptAnswers(_KEPT_BYTES)

    def answer(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `TimelineAnswer` of the window that `run`, `worker` and `window` name, as JSON.

        Raises:
            Gone: There is no such window.
        """
        return self._opened(parameters, "view", {}, partial(TimelineAnswer, timeline=None))

    def icicle(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `IcicleAnswer` of the same, nested by `kind` or by what was recorded.

        Raises:
            Gone: There is no such window.
        """
        kind = {"kind": parameters.get("kind", "")}
        return self._opened(parameters, "icicle", kind, partial(IcicleAnswer, icicle=None))

    def modules(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `ModulesAnswer` of the same.

        Raises:
            Gone: There is no such window.
        """
        return self._opened(parameters, "modules", {}, partial(ModulesAnswer, modules=None))

    def memory(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `MemoryAnswer` of the same: a `device` from `start` to `end`, and who holds what `at` a moment.

        Raises:
            Gone: There is no such window.
            UsageError: An instant is no number.
        """
        asked = {name: parameters.get(name, "") for name in ("device", "start", "end", "at")}
        return self._opened(parameters, "memory", asked, partial(MemoryAnswer, memory=None))

    def roofline(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `RooflineAnswer` of the same: `scope` says what is counted.

        Raises:
            Gone: There is no such window.
        """
        asked = {"scope": parameters.get("scope", "")}
        return self._opened(parameters, "roofline", asked, partial(RooflineAnswer, roofline=None))

    def table(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `TableAnswer` of the same: `table` names it, `by` what a row is, `scope` what is counted.

        With `columns=first`, a long one comes without the figures that are not shown at first.

        Raises:
            Gone: There is no such window.
            UsageError: There is no such table.
        """
        asked = {name: parameters.get(name, "") for name in ("table", "by", "scope", "columns")}
        return self._opened(parameters, "table", asked, partial(TableAnswer, view=None))

    def compared_table(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The same of two windows: `before_run` and so on name the one before.

        Raises:
            Gone: There is no such window.
            UsageError: There is no such table.
        """
        before = requested_window(self._logs, parameters, "before_")
        if before.trace_path is None:
            return _packed(TableAnswer("gone", None, None, None))
        asked = {"table": parameters.get("table", ""), "before": before.trace_path}
        try:
            return self._opened(parameters, "compared_table", asked, partial(TableAnswer, view=None), before)
        except NotComparable as error:
            return _packed(TableAnswer("broken", None, None, Problem(*not_comparable(str(error)), path="")))

    def asking(self, ask: str) -> Callable[[Mapping[str, str]], Answer]:
        """A function from a request's parameters to what the timeline of its window answers to `ask`."""

        def answer(parameters: Mapping[str, str]) -> Answer:
            window = requested_window(self._logs, parameters)
            if window.trace_path is None:
                raise Gone("the trace of this window is gone, and with it its timeline")
            key = _key(ask, parameters, [window])
            kept = self._kept.get(key)
            if kept is not None:
                return kept
            try:
                found = self._traces.ask(window.trace_path, ask, parameters, patience_s=_PATIENCE_S)
            except TraceError as error:
                raise TraceError(in_log_directory(window, str(error))) from error
            if isinstance(found, Reading):
                raise Busy("the trace is still being read: ask again in a moment")
            return self._kept.keep(key, found)

        return answer

    def _opened(
        self,
        parameters: Mapping[str, str],
        ask: str,
        asked: Mapping[str, str],
        answer: _Answer,
        before: Window | None = None,
    ) -> Answer | bytes:
        """What an open trace answers to `ask`, or why there is no answer."""
        window = requested_window(self._logs, parameters)
        if window.trace_path is None:
            return _packed(answer(state="gone", progress=None, problem=None))
        key = _key(ask, asked, [window] if before is None else [window, before])
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        try:
            view = self._traces.ask(window.trace_path, ask, asked)
        except TraceError as error:
            return _packed(answer(state="broken", progress=None, problem=problem_with(window, error)))
        if isinstance(view, Reading):
            progress = Progress(view.read_bytes, view.total_bytes, time.monotonic() - view.since, 0)
            return _packed(answer(state="reading", progress=progress, problem=None))
        return self._kept.keep(key, _packed(answer(state="ready", progress=None, problem=None), view))


def _key(ask: str, asked: Mapping[str, str], windows: Sequence[Window]) -> Hashable:
    """All that an answer depends on."""
    files = tuple((window.trace_path, files_of(window)) for window in windows)
    return ask, tuple(sorted(asked.items())), files


def _packed(answer: _Record, view: bytes = b"null") -> bytes:
    """An answer whose view comes as JSON already: it is large, and stays packed."""
    field = _VIEWS[type(answer)]
    parts = {name: json.dumps(value).encode() for name, value in dataclasses.asdict(answer).items()}
    parts[field] = view
    return b"{" + b", ".join(b'"%s": %s' % (name.encode(), part) for name, part in parts.items()) + b"}"
