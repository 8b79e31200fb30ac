"""The answer to "which runs are there": the log directory page by page, made once for all who ask."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping

from tbprof.errors import Gone, UsageError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.requested_window import requested_window
from tbprof.plugin.worker.kept_answers import Answer, KeptAnswers
from tbprof.plugin.worker.reports import Reports, files_of
from tbprof.version import __version__
from tbprof.views.window.runs import RunsVersion, runs_view

_KEPT_BYTES = 16 * 1024 * 1024
_MOST_DIGITS = 9


class RunsAnswers:
    def __init__(self, logs: LogDirectory, reports: Reports) -> None:
        self._logs = logs
        self._reports = reports
        self._kept = KeptAnswers(_KEPT_BYTES)

    def answer(self, parameters: Mapping[str, str]) -> Answer:
        """The `RunsView` of the page `page`, from 0 on.

        Raises:
            UsageError: The page is no number.
        """
        page = _page(parameters)
        # Who asks has the tab open: a window that comes while nothing is shown yet need not wait for this.
        self._reports.prepare()
        listing, version = self._logs.numbered()
        kept = self._kept.get((version, page))
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
        )
        return self._kept.keep((version, page), json.dumps(dataclasses.asdict(view)).encode())

    def version(self, parameters: Mapping[str, str]) -> RunsVersion:
        """Of the list, and of the files of the window that `run`, `worker` and `window` may name."""
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
        raise UsageError("pages of runs count from 0 on")
    return int(text)
