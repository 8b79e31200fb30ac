"""`tbprof fleet LOGDIR`: all runs of a log directory, those first that waste most."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.fleet_jobs import jobs_of_runs
from tbprof.cli.fleet_text import FORMS
from tbprof.cli.output_file import Output, tell
from tbprof.cli.parser import WORKERS_HELP, add_top, add_width
from tbprof.cli.reading import is_folder, local_path, path_of
from tbprof.cli.window_reading import read_windows
from tbprof.errors import TbprofError, UsageError
from tbprof.executors.analyzing import Executor
from tbprof.model import Window
from tbprof.store.discovery import Discovery, nothing_to_read
from tbprof.store.job_windows import owner_of_run
from tbprof.store.kept_summaries import FileIdentity, KeptSummaries, identity_of_window
from tbprof.store.run_times import run_times_in
from tbprof.texts.finding_notes import skipped_sentence
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.fleet_entries import FleetWindow, fleet_entries, newest_windows
from tbprof.views.fleet_listing import SORTS, FleetQuestion, fleet_view
from tbprof.views.fleet_summary import (
    SUMMARY_FORM,
    WindowSummary,
    document_of,
    summary_of,
    summary_of_document,
)
from tbprof.views.job.job_first import JOB_FORM, JobFirst
from tbprof.views.job.rank_summary import RankSummary, rank_of_window
from tbprof.views.run_time_view import goodputs_of

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("fleet")
    parser.add_argument("logdir", type=path_of, metavar="LOGDIR", help="a log directory with runs")
    about = "only runs with all of these words: of rules, lines, kernels, names"
    parser.add_argument("--search", default="", metavar="WORDS", help=about)
    parser.add_argument("--sort", choices=SORTS, default=SORTS[0], help=f"default: {SORTS[0]}")
    parser.add_argument("--reverse", action="store_true", help="the other end first")
    add_top(parser, "only the N first runs")
    add_width(parser)
    parser.add_argument("--format", choices=tuple(FORMS), default="text")
    parser.add_argument("-o", "--output", type=local_path, metavar="FILE", help="write there, not to stdout")
    parser.add_argument("--workers", metavar="WHERE", help=WORKERS_HELP)
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of reports")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the runs.

    Raises:
        TbprofError: There is none, or the engine can't be reached.
    """
    if not is_folder(options.logdir):
        raise UsageError(f"{options.logdir} is no folder: name a log directory")
    from tbprof.executors.choosing import executor_of

    executor = None if options.workers is None else executor_of(options.workers)
    windows, jobs = fleet_windows(options.logdir, use_cache=not options.no_cache, executor=executor)
    entries = fleet_entries(windows, jobs, run_goodputs(windows))
    question = FleetQuestion(options.search, options.sort, options.reverse)
    view = fleet_view(entries, question, most=options.top)
    with Output(options.output) as output:
        output.put(FORMS[options.format](view, options.width))
    return 0


def fleet_windows(
    folder: Path, *, use_cache: bool, executor: Executor | None
) -> tuple[list[FleetWindow], dict[str, JobFirst]]:
    """The windows of a folder by run, and what the jobs among these say first; what is left out costs one
    line on stderr each.

    Raises:
        UsageError: There is no run.
    """
    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    newest = newest_windows(listing.windows)
    if not newest:
        raise nothing_to_read(folder)
    place = str(folder.absolute())
    kept, kept_jobs = (KeptSummaries(place, form) if use_cache else None for form in (SUMMARY_FORM, JOB_FORM))
    known = {} if kept is None else dict(_known(kept, [window for window, _, _ in newest]))
    missing = [window for window, _, _ in newest if _path(window) not in known]
    problems: dict[str, str] = {}
    ranks: dict[Window, RankSummary] = {}
    for window, report in read_windows(missing, executor, use_cache=use_cache):
        if isinstance(report, TbprofError):
            problems[_path(window)] = str(report)
            continue
        known[_path(window)] = summary_of(report)
        ranks[_named(window, folder)] = rank_of_window(window, report)
        if kept is not None and (identity := _identity(window)) is not None:
            kept.keep(_path(window), identity, document_of(known[_path(window)]))
    if kept is not None and missing:
        kept.save([_path(window) for window, _, _ in newest])
    rows = [
        FleetWindow(
            _named(window, folder),
            count,
            first_ns,
            owner_of_run(window.run, _path(window)),
            known.get(_path(window)),
            problems.get(_path(window), ""),
        )
        for window, count, first_ns in newest
    ]
    return rows, jobs_of_runs(rows, ranks, kept_jobs, executor)


def run_goodputs(windows: Iterable[FleetWindow]) -> dict[str, float]:
    """The share of steps in the whole time of these runs."""
    folders = {one.window.run: Path(_path(one.window)).parent for one in windows}
    return goodputs_of({run: run_times_in((of,), with_reports=False).times for run, of in folders.items()})


def _named(window: Window, folder: Path) -> Window:
    """What lies in the log directory itself has that folder's name."""
    return dataclasses.replace(window, run=folder.absolute().name) if window.run == "." else window


def _known(kept: KeptSummaries, windows: list[Window]) -> Iterator[tuple[str, WindowSummary]]:
    for window in windows:
        identity = _identity(window)
        document = None if identity is None else kept.get(_path(window), identity)
        if document is not None:
            yield _path(window), summary_of_document(document)


def _identity(window: Window) -> FileIdentity | None:
    """None where its file is gone, which reading it says."""
    try:
        return identity_of_window(window)
    except OSError:
        return None


def _path(window: Window) -> str:
    return window.report_path or window.trace_path or ""
