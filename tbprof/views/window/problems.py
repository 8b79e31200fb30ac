"""What is wrong with a window that can't be shown."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from tbprof.errors import TbprofError
from tbprof.model import Window
from tbprof.texts.screens.problems import LEFT_OUT, problem_of
from tbprof.views.window.answer import Problem


def problem_with(window: Window, error: TbprofError) -> Problem:
    path = window.trace_path or window.report_path or ""
    title, what_to_do = problem_of(Path(path).name, error)
    return Problem(title, in_log_directory(window, str(error)), what_to_do, in_log_directory(window, path))


def problem_left_out(window: Window, holds: str) -> Problem:
    """Of a window that a page has no room for; `holds` says which ones it holds."""
    path = window.trace_path or window.report_path or ""
    title, what_to_do = LEFT_OUT
    return Problem(title, holds, what_to_do, in_log_directory(window, path))


def in_log_directory(window: Window, text: str) -> str:
    """The same with the window's files as the log directory has them: where that is, no reader need know."""
    for path in (window.trace_path, window.report_path):
        if path is not None:
            text = text.replace(path, (PurePosixPath(window.run) / Path(path).name).as_posix())
    return text
