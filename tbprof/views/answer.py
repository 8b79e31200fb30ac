"""The answer to "show me this window": its view, how far it is, or what is wrong with it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Literal

from tbprof.errors import TbprofError
from tbprof.model import Window
from tbprof.records import dataclass
from tbprof.texts.problems import LEFT_OUT, problem_of
from tbprof.views.window import WindowView


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a trace without a report has been read."""

    read_bytes: int
    """Bytes of the file as it lies on disk."""
    total_bytes: int
    elapsed_s: float
    ahead: int
    """Traces that are read before this one."""


@dataclass(frozen=True, slots=True)
class Problem:
    title: str
    what: str
    what_to_do: str
    path: str


@dataclass(frozen=True, slots=True)
class WindowAnswer:
    """The answer of `window`: exactly one of the three is there, as `state` says."""

    state: Literal["ready", "reading", "broken"]
    window: WindowView | None
    progress: Progress | None
    problem: Problem | None


def problem_with(window: Window, error: TbprofError) -> Problem:
    path = window.trace_path or window.report_path or ""
    title, what_to_do = problem_of(Path(path).name, error)
    return Problem(title, in_log_directory(window, str(error)), what_to_do, in_log_directory(window, path))


def problem_left_out(window: Window, holds: str) -> Problem:
    """The problem of a window that a page has no room for; `holds` says which ones it holds."""
    path = window.trace_path or window.report_path or ""
    title, what_to_do = LEFT_OUT
    return Problem(title, holds, what_to_do, in_log_directory(window, path))


def in_log_directory(window: Window, text: str) -> str:
    """The same with the window's files as the log directory has them: where that is, no reader need know."""
    for path in (window.trace_path, window.report_path):
        if path is not None:
            text = text.replace(path, (PurePosixPath(window.run) / Path(path).name).as_posix())
    return text
