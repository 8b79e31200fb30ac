"""The answer to "which runs are there": the log directory page by page, made once for all who ask."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

from tbprof.errors import UsageError
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.worker.kept_answers import Answer, KeptAnswers
from tbprof.plugin.worker.reports import Reports
from tbprof.version import __version__
from tbprof.views.window.runs import RunsVersion, runs_view

__all__ = ["RunsAnswers"]

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

    def version(self, _: Mapping[str, str]) -> RunsVersion:
        return RunsVersion(self._logs.version())


def _page(parameters: Mapping[str, str]) -> int:
    text = parameters.get("page", "0")
    if not (text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS):
        raise UsageError("pages of runs count from 0 on")
    return int(text)
