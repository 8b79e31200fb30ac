"""What the plugin answers with: imported when it is first asked, as most of TensorBoard's users do not."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from tensorboard.backend import http_util
from werkzeug import wrappers

from tbprof.manual.pages import all_pages, manual_text
from tbprof.plugin.routes.access_control import AccessControl, Bundle
from tbprof.plugin.routes.answers import BYTES, CSV, JSON, answering
from tbprof.plugin.routes.fleet_answers import FleetAnswers
from tbprof.plugin.routes.job_answers import JobAnswers
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.memory_file_answers import MemoryFileAnswers
from tbprof.plugin.routes.run_time_answers import RunTimeAnswers
from tbprof.plugin.routes.screen_answers import ScreenAnswers
from tbprof.plugin.routes.series_answers import RunsAnswers, SeriesAnswers
from tbprof.plugin.worker.kept import Kept
from tbprof.plugin.worker.pool import Pool
from tbprof.plugin.worker.reports import Reports
from tbprof.plugin.worker.traces import Traces
from tbprof.texts.rule_pages import rule_text
from tbprof.views.pages import ManualPage, RulePage, manual_page, rule_page
from tbprof.views.screens import SCREENS


class Serving:
    """Nothing is read and nothing started until a route is asked."""

    def __init__(self, flags: argparse.Namespace) -> None:
        """`flags` are what TensorBoard was started with."""
        self._access = AccessControl(flags)
        self._logs = LogDirectory(flags)
        self._kept = Kept()
        self._pool = Pool(self._kept)
        self._reports = Reports(self._pool, self._kept)
        bundle = self._access.guarded(Bundle().serve, holds_data=False)
        self.applications = {
            "index.js": bundle,
            "assets/*": bundle,
            **{name: self._access.guarded(answer) for name, answer in self._screens().items()},
        }
        """The applications by route."""

    def application(self, path: str) -> Callable[..., object]:
        """What answers at this path below that of the plugin; TensorBoard's own answer where nothing does."""
        route = "assets/*" if path.startswith("assets/") else path
        return self.applications.get(route) or self._access.guarded(_not_found, holds_data=False)

    def _screens(self) -> dict[str, Callable[..., object]]:
        """The applications of all screens, by name."""
        fleet = FleetAnswers(self._logs, self._pool)
        of_windows = ScreenAnswers(self._logs, self._reports, Traces(self._pool))
        own = self._answers_of_runs() | {"fleet": fleet.answer, "rule": _rule, "manual": _manual}
        applications = {"fleet.csv": answering(fleet.csv, kind=CSV)}
        for screen in SCREENS:
            find = own[screen.name] if screen.reads is None else of_windows.of(screen)
            kind = BYTES if screen.sends == "bytes" else JSON
            applications[screen.name] = answering(find, kind=kind)
        return applications

    def _answers_of_runs(self) -> dict[str, Callable[[Mapping[str, str]], object]]:
        """The answers of screens that are made of many windows, or of other files than theirs, by name."""
        runs = RunsAnswers(self._logs, self._reports, self._kept)
        series = SeriesAnswers(self._logs, self._reports, self._kept)
        memory_files = MemoryFileAnswers(self._logs, self._reports)
        return {
            "runs": runs.answer,
            "version": runs.version,
            "session": runs.session,
            "ranks": series.ranks,
            "trend": series.trend,
            "job": JobAnswers(self._logs, self._reports, self._kept).answer,
            "memory_files": memory_files.listed,
            "memory_file": memory_files.answer,
            "run_time": RunTimeAnswers(self._logs, self._reports).answer,
        }

    def worker_pids(self) -> tuple[int, ...]:
        """The processes that read now: lists, traces for reports and timelines, reports, also of all runs."""
        return (*self._logs.pids, *self._pool.pids())

    def close(self) -> None:
        """End the processes that read; the end of this process does so as well."""
        self._logs.close()
        self._pool.close()

    def has_something(self) -> bool:
        """Whether the tab has something to show."""
        # The tab says whose store is awaited, or lacks what reads it.
        if self._logs.is_remote:
            return True
        listing = self._logs.listing()
        return bool(listing.windows or listing.of_memory)


def _rule(parameters: Mapping[str, str]) -> RulePage:
    return rule_page(rule_text(parameters.get("code", "")))


def _manual(parameters: Mapping[str, str]) -> ManualPage:
    pages = all_pages()
    return manual_page(manual_text(parameters.get("page", pages[0].name)), pages)


@wrappers.Request.application
def _not_found(request: wrappers.Request) -> wrappers.Response:
    response: wrappers.Response = http_util.Respond(request, "Not found", "text/plain", code=404)
    return response
