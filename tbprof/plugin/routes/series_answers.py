"""The answers to "show me all ranks" and "show me all windows" of a run.

A window without a report is queued to be read; its row says so until it is.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tbprof.errors import Gone, TbprofError, UsageError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory, requested_window
from tbprof.plugin.routes.window_figures_cache import Deadline, WindowFiguresCache
from tbprof.plugin.worker.kept import Answer, Kept, Key
from tbprof.plugin.worker.reports import FilesState, Reports, files_of
from tbprof.plugin.worker.window_messages import record_in
from tbprof.records import dataclass
from tbprof.version import __version__
from tbprof.views.answer import in_log_directory
from tbprof.views.runs import RunsVersion, runs_view
from tbprof.views.series import RanksView, SeriesRow, TrendView, WindowFigures
from tbprof.views.series_views import ranks_view, series_row, trend_view
from tbprof.views.session import SessionView, session_view

MAX_WINDOWS = 120
"""Windows of one worker that a trend shows, the newest ones."""

_RETRY_AFTER_S = 10.0
_MOST_WATCHED = 1024
"""To look at the files of more ranks takes longer than to answer."""


@dataclass(frozen=True, slots=True)
class _KeptRanks:
    shown: Sequence[Window]
    files: Sequence[FilesState | None]
    """The files of the windows that are shown; the listing does not show each change of a file."""
    answer: Answer
    until: float
    """`time.monotonic()` up to which it holds while they do not change."""

    def holds(self) -> bool:
        """Whether it is still the answer, in the same log directory."""
        return time.monotonic() < self.until and self.files == _files(self.shown)


class SeriesAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports, kept: Kept) -> None:
        self._logs = logs
        self._kept = kept
        self._figures = WindowFiguresCache(reports, kept, "figures", WindowFigures, figures_in)

    def ranks(self, parameters: Mapping[str, str]) -> Answer | RanksView:
        """The window of the place `number` in line (from 1 on) of every worker of `run`.

        Of many ranks those that stand out; a part of all where `from` says at which place it begins.

        Raises:
            Gone: There is no such run.
            UsageError: The number is none.
        """
        run, number, first = parameters.get("run", ""), number_of(parameters), _first(parameters)
        if first is None:
            return self._outstanding(run, number)
        return ranks_view(self._rows(self._shown(run, number), number), first)

    def trend(self, parameters: Mapping[str, str]) -> TrendView:
        """The newest windows of `worker` of `run`.

        Raises:
            Gone: There is no such run or worker.
        """
        by_worker = windows_by_worker(self._logs, parameters.get("run", ""))
        worker = parameters.get("worker", "")
        if worker not in by_worker:
            raise Gone("there is no such worker in the run: it may have been deleted")
        numbered = list(enumerate(by_worker[worker], start=1))
        shown = numbered[-MAX_WINDOWS:]
        rows = self._rows_of([window for _, window in shown], [number for number, _ in shown])
        return trend_view(rows, len(numbered) - len(shown))

    def _rows_of(self, windows: Sequence[Window], numbers: Sequence[int]) -> list[SeriesRow]:
        found = self._figures.of(windows, Deadline())
        return [
            series_row(window, number, problem=in_log_directory(window, str(figures)))
            if isinstance(figures, TbprofError)
            else series_row(window, number, figures)
            for window, number, figures in zip(windows, numbers, found, strict=True)
        ]

    def _outstanding(self, run: str, number: int) -> Answer | RanksView:
        """The same answer for a run that did not change: polls ask again and again."""
        key = Key("ranks", (run, number), self._logs.version())
        kept = self._kept.get(key, _KeptRanks)
        if kept is not None and kept.holds():
            return kept.answer
        shown = self._shown(run, number)
        files = _files(shown)
        view = ranks_view(self._rows(shown, number))
        if view.reading:
            return view
        # What gives nothing now may have been short of memory.
        is_whole = all(row.state == "ready" for row in view.rows)
        until = float("inf") if is_whole else time.monotonic() + _RETRY_AFTER_S
        content = json.dumps(dataclasses.asdict(view), allow_nan=False).encode()
        answer = Answer(content)
        self._kept.keep(key, _KeptRanks(shown, files, answer, until), len(content))
        return answer

    def _shown(self, run: str, number: int) -> list[Window]:
        by_worker = windows_by_worker(self._logs, run)
        return [windows[number - 1] for windows in by_worker.values() if len(windows) >= number]

    def _rows(self, windows: Sequence[Window], number: int) -> tuple[SeriesRow, ...]:
        return tuple(self._rows_of(windows, [number] * len(windows)))


def figures_in(text: str) -> WindowFigures:
    """The figures of one window, as the process that reads reports has sent them."""
    return record_in(text, WindowFigures)


def _files(windows: Sequence[Window]) -> list[FilesState | None]:
    """Their state, None of a window that is gone. Of very many none: the listing looks now and then."""
    states: list[FilesState | None] = []
    for window in windows if len(windows) <= _MOST_WATCHED else ():
        try:
            states.append(files_of(window))
        except Gone:
            states.append(None)
    return states


def _first(parameters: Mapping[str, str]) -> int | None:
    """The place in line from which on ranks are wanted, from 0 on.

    Raises:
        UsageError: It is no number.
    """
    text = parameters.get("from")
    if text is None:
        return None
    if not text.isdecimal() or not text.isascii() or len(text) > 9:
        raise UsageError("the rank must be 0 or more")
    return int(text)


_MOST_DIGITS = 9


class RunsAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports, kept: Kept) -> None:
        self._logs = logs
        self._reports = reports
        self._kept = kept

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The `RunsView` of the page `page`, from 0 on.

        Raises:
            UsageError: The page is no number.
        """
        page = _page(parameters)
        # Who asks has the tab open: a window that comes while nothing is shown yet need not wait for this.
        self._reports.prepare()
        listing, version = self._logs.numbered()
        has_session = self._logs.session() is not None
        key = Key("runs", (page, has_session), version)
        kept = self._kept.get(key, Answer)
        if kept is not None:
            return kept
        failed = {folder.run: folder.newest_ns for folder in listing.without_windows()}
        view = runs_view(
            self._logs.name,
            __version__,
            listing.windows,
            listing.skipped,
            failed,
            page=page,
            version=version,
            has_session=has_session,
        )
        return self._kept.keep_answer(key, json.dumps(dataclasses.asdict(view)).encode())

    def session(self, _: Mapping[str, str]) -> SessionView:
        """The notes of people and agents.

        Raises:
            Gone: There are none any more.
        """
        session = self._logs.session()
        if session is None:
            raise Gone("there is no session beside the log directory: `tbprof session` begins one")
        return session_view(session.notes())

    def version(self, parameters: Mapping[str, str]) -> RunsVersion:
        """The version of the list, and of the files of the window that `run`, `worker` and `window` may
        name.
        """
        return RunsVersion(self._logs.version(), self._content(parameters))

    def _content(self, parameters: Mapping[str, str]) -> str | None:
        # The listing looks seldom into what lies there for long; who reads a window wants to know at once.
        try:
            files = files_of(requested_window(self._logs, parameters))
        except Gone:
            return None
        return hashlib.blake2b(repr(files).encode(), digest_size=8).hexdigest()


def _page(parameters: Mapping[str, str]) -> int:
    text = parameters.get("page", "0")
    if not (text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS):
        raise UsageError("the page must be 0 or more")
    return int(text)


def windows_by_worker(logs: LogDirectory, run: str) -> dict[str, list[Window]]:
    """In the order of their time.

    Raises:
        Gone: There is no such run.
    """
    found: dict[str, list[Window]] = {}
    for window in logs.listing().windows:
        if window.run == run:
            found.setdefault(window.worker, []).append(window)
    if not found:
        raise no_such_run()
    return found


def no_such_run() -> Gone:
    return Gone("there is no such run in the log directory: it may have been deleted")


def folders_of_run(logs: LogDirectory, run: str) -> set[Path]:
    """Where its windows lie, and what else the hook left of it.

    Raises:
        Gone: There is no such run.
    """
    listing = logs.listing()
    files = [window.trace_path or window.report_path for window in listing.windows if window.run == run]
    folders = {Path(file).parent for file in files if file is not None}
    folders |= {Path(folder.path) for folder in listing.of_memory if folder.run == run}
    if not folders:
        raise no_such_run()
    return folders


def number_of(parameters: Mapping[str, str]) -> int:
    """The number of the window of every worker that is asked for, 1 if nothing is said.

    Raises:
        UsageError: It is no number.
    """
    text = parameters.get("number", "1")
    if not text.isdecimal() or not text.isascii() or len(text) > 9 or int(text) == 0:
        raise UsageError("the window must be 1 or more")
    return int(text)
