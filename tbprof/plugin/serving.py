"""What the plugin answers with: imported when it is first asked, as most of TensorBoard's users do not."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from tbprof.manual.pages import all_pages, manual_text
from tbprof.plugin.routes.access_control import AccessControl, Bundle
from tbprof.plugin.routes.answers import BYTES, CSV, JSON, answering, sending
from tbprof.plugin.routes.fleet_answers import FleetAnswers
from tbprof.plugin.routes.job_answers import JobAnswers
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.routes.series_answers import RunsAnswers, SeriesAnswers
from tbprof.plugin.routes.trace_answers import TraceAnswers
from tbprof.plugin.routes.window_answers import (
    CheckAnswers,
    CompareAnswers,
    FindingAnswers,
    MemoryFileAnswers,
    SourceAnswers,
    WindowAnswers,
)
from tbprof.plugin.worker.kept import Kept
from tbprof.plugin.worker.pool import Pool
from tbprof.plugin.worker.reports import Reports
from tbprof.plugin.worker.traces import Traces
from tbprof.texts.rule_pages import rule_text
from tbprof.views.pages import ManualPage, RulePage, manual_page, rule_page


class Serving:
    """Nothing is read and nothing started until a route is asked."""

    def __init__(self, flags: argparse.Namespace) -> None:
        """`flags` are what TensorBoard was started with."""
        self._access = AccessControl(flags)
        self._logs = LogDirectory(flags)
        self._kept = Kept()
        self._pool = Pool(self._kept)
        self._reports = Reports(self._pool, self._kept)
        self._series = SeriesAnswers(self._logs, self._reports, self._kept)
        self._fleet = FleetAnswers(self._logs, self._pool)
        self._trace_answers = TraceAnswers(self._logs, Traces(self._pool))
        self._bundle = Bundle()
        self.applications = self._made()
        """The applications by route."""

    def _made(self) -> dict[str, Callable[..., object]]:
        code = {"/index.js": self._bundle.serve, "/assets/*": self._bundle.serve}
        runs = RunsAnswers(self._logs, self._reports, self._kept)
        memory_files = MemoryFileAnswers(self._logs, self._reports)
        answers = {
            "/runs": answering(runs.answer),
            "/version": answering(runs.version),
            "/fleet": answering(self._fleet.answer),
            "/fleet.csv": sending(self._fleet.csv, kind=CSV),
            "/window": answering(WindowAnswers(self._logs, self._reports).answer),
            "/source": answering(SourceAnswers(self._logs, self._reports).answer),
            "/compare": answering(CompareAnswers(self._logs, self._reports).answer),
            "/ranks": answering(self._series.ranks),
            "/trend": answering(self._series.trend),
            "/job": answering(JobAnswers(self._logs, self._reports, self._kept).answer),
            "/finding": answering(FindingAnswers(self._logs, self._reports).answer),
            "/checks": answering(CheckAnswers(self._logs, self._reports).answer),
            "/rule": answering(self._rule),
            "/manual": answering(self._manual),
            "/timeline": sending(self._trace_answers.showing("timeline"), kind=JSON),
            "/modules": sending(self._trace_answers.showing("modules"), kind=JSON),
            "/memory": sending(self._trace_answers.showing("memory"), kind=JSON),
            "/memory_files": answering(memory_files.listed),
            "/memory_file": answering(memory_files.answer),
            "/icicle": sending(self._trace_answers.showing("icicle"), kind=JSON),
            "/roofline": sending(self._trace_answers.showing("roofline"), kind=JSON),
            "/table": sending(self._trace_answers.showing("table"), kind=JSON),
            "/table_row": sending(self._trace_answers.asking("table_row"), kind=JSON),
            "/compared_table": sending(self._trace_answers.compared_table, kind=JSON),
            "/timeline_step": sending(self._trace_answers.asking("step"), kind=JSON),
            "/timeline_selection": sending(self._trace_answers.asking("selection"), kind=JSON),
            "/timeline_find": sending(self._trace_answers.asking("find"), kind=JSON),
            "/timeline_excerpt": sending(self._trace_answers.asking("excerpt"), kind=JSON),
            "/timeline_tile": sending(self._trace_answers.asking("tile"), kind=BYTES),
        }
        return {
            **{route: self._access.guarded(serve, holds_data=False) for route, serve in code.items()},
            **{route: self._access.guarded(answer) for route, answer in answers.items()},
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
        # Who waits for a store, or lacks what reads it, is told so in the tab.
        if self._logs.is_remote:
            return True
        listing = self._logs.listing()
        return bool(listing.windows or listing.of_memory)

    def _rule(self, parameters: Mapping[str, str]) -> RulePage:
        return rule_page(rule_text(parameters.get("code", "")))

    def _manual(self, parameters: Mapping[str, str]) -> ManualPage:
        pages = all_pages()
        return manual_page(manual_text(parameters.get("page", pages[0].name)), pages)
