"""What the timeline, the flame graph and the tables show: it comes from the process that holds the trace."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from tbprof.errors import Busy, Gone, NotComparable, TraceError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import requested_window
from tbprof.plugin.worker.kept import Answer
from tbprof.plugin.worker.pool import Reading
from tbprof.plugin.worker.reports import key_of
from tbprof.plugin.worker.traces import Traces
from tbprof.records import dataclass
from tbprof.texts.comparison import not_comparable
from tbprof.views.answer import Problem, Progress, in_log_directory, problem_with
from tbprof.views.icicle import IcicleAnswer
from tbprof.views.memory import MemoryAnswer
from tbprof.views.modules import ModulesAnswer
from tbprof.views.roofline import RooflineAnswer
from tbprof.views.tables.screen import TableAnswer
from tbprof.views.timeline import TimelineAnswer

_PATIENCE_S = 30.0
"""For what is asked of a timeline that is open: it comes at once, unless the trace has to be read again."""

_Record: TypeAlias = (
    TimelineAnswer | IcicleAnswer | MemoryAnswer | ModulesAnswer | RooflineAnswer | TableAnswer
)


@dataclass(frozen=True, slots=True)
class _Screen:
    """What is shown of an open trace."""

    answer: Callable[..., _Record]
    field: str
    """The field of that record with what is shown."""
    ask: str
    """What the trace is asked for it."""
    takes: tuple[str, ...] = ()
    """The parameters of the request that are handed on to it, "" where one is missing."""

    def without_view(self, state: str, progress: Progress | None, problem: Problem | None) -> _Record:
        return self.answer(state=state, progress=progress, problem=problem, **{self.field: None})


_SCREENS = {
    "timeline": _Screen(TimelineAnswer, "timeline", "view"),
    "icicle": _Screen(IcicleAnswer, "icicle", "icicle", ("kind",)),
    "modules": _Screen(ModulesAnswer, "modules", "modules"),
    "memory": _Screen(MemoryAnswer, "memory", "memory", ("device", "start", "end", "at")),
    "roofline": _Screen(RooflineAnswer, "roofline", "roofline", ("scope",)),
    "table": _Screen(TableAnswer, "view", "table", ("table", "by", "scope", "columns")),
}
_COMPARED_TABLE = _Screen(TableAnswer, "view", "compared_table", ("table",))


class TraceAnswers:
    """Nothing is started until a timeline is asked for."""

    def __init__(self, logs: LogDirectory, traces: Traces) -> None:
        self._logs = logs
        self._traces = traces

    def showing(self, screen: str) -> Callable[[Mapping[str, str]], Answer | bytes]:
        """A function from a request's parameters to the answer of a screen, as JSON.

        Of the window that `run`, `worker` and `window` name it shows the `timeline`; the `icicle`, nested by
        `kind` or by what was recorded; its `modules`; the `memory` of a `device` from `start` to `end`, and
        who holds what `at` a moment; the `roofline`, where `scope` says what is counted; or the `table` of
        that name: `by` says what a row is, and with `columns=first` a long one comes without the figures that
        are not shown at first.

        It raises `Gone` where there is no such window, and `UsageError` where there is no such table or an
        instant is no number.
        """
        return partial(self._opened, _SCREENS[screen])

    def compared_table(self, parameters: Mapping[str, str]) -> Answer | bytes:
        """The `table` of two windows: `before_run` and so on name the one before.

        Raises:
            Gone: There is no such window.
            UsageError: There is no such table.
        """
        before = requested_window(self._logs, parameters, "before_")
        if before.trace_path is None:
            return _packed(_COMPARED_TABLE, "gone")
        try:
            return self._opened(_COMPARED_TABLE, parameters, before)
        except NotComparable as error:
            problem = Problem(*not_comparable(str(error)), path="")
            return _packed(_COMPARED_TABLE, "broken", problem=problem)

    def asking(self, ask: str) -> Callable[[Mapping[str, str]], Answer]:
        """A function from a request's parameters to what the timeline of its window answers to `ask`."""

        def answer(parameters: Mapping[str, str]) -> Answer:
            window = requested_window(self._logs, parameters)
            if window.trace_path is None:
                raise Gone("the trace of this window is gone, and with it its timeline")
            key = key_of(ask, [window], parameters)
            try:
                found = self._traces.ask(window.trace_path, key, patience_s=_PATIENCE_S)
            except TraceError as error:
                raise TraceError(in_log_directory(window, str(error))) from error
            if isinstance(found, Reading):
                raise Busy("the trace is still being read: ask again in a moment")
            return found

        return answer

    def _opened(
        self, screen: _Screen, parameters: Mapping[str, str], before: Window | None = None
    ) -> Answer | bytes:
        """What an open trace answers, or why there is no answer; with that of `before` where it is given."""
        window = requested_window(self._logs, parameters)
        if window.trace_path is None:
            return _packed(screen, "gone")
        asked = {name: parameters.get(name, "") for name in screen.takes}
        if before is not None and before.trace_path is not None:
            asked["before"] = before.trace_path
        key = key_of(screen.ask, [window] if before is None else [window, before], asked)
        try:
            packed = partial(_ready, screen)
            found = self._traces.ask(window.trace_path, key, packed=packed)
        except TraceError as error:
            return _packed(screen, "broken", problem=problem_with(window, error))
        if isinstance(found, Answer):
            return found
        progress = Progress(found.read_bytes, found.total_bytes, time.monotonic() - found.since, 0)
        return _packed(screen, "reading", progress=progress)


def _ready(screen: _Screen, view: bytes) -> bytes:
    return _packed(screen, "ready", view=view)


def _packed(
    screen: _Screen,
    state: str,
    *,
    progress: Progress | None = None,
    problem: Problem | None = None,
    view: bytes = b"null",
) -> bytes:
    """An answer whose view comes as JSON already: it is large, and stays packed."""
    answer = screen.without_view(state, progress, problem)
    parts = {name: json.dumps(value).encode() for name, value in dataclasses.asdict(answer).items()}
    parts[screen.field] = view
    return b"{" + b", ".join(b'"%s": %s' % (name.encode(), part) for name, part in parts.items()) + b"}"
