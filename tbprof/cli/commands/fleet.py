"""`tbprof fleet LOGDIR`: all runs of a log directory, those first that waste most."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.output_file import Output, tell
from tbprof.cli.parser import WORKERS_HELP, add_top
from tbprof.cli.reading import is_folder, local_path, path_of
from tbprof.cli.window_reading import read_windows
from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import code, escaped, json_text, plain, prose
from tbprof.executors.analyzing import Executor
from tbprof.model import Window
from tbprof.store.discovery import Discovery, nothing_to_read
from tbprof.store.job_windows import owner_of
from tbprof.store.kept_summaries import FileIdentity, KeptSummaries, identity_of_window
from tbprof.texts.figures.quantities import duration, share
from tbprof.texts.finding_notes import skipped_sentence
from tbprof.texts.fleet import NOT_READ, gpu_time, hours
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.fleet import FleetRow, FleetView, fleet_csv
from tbprof.views.fleet_entries import FleetWindow, fleet_entries, newest_windows
from tbprof.views.fleet_listing import SORTS, FleetQuestion, fleet_view
from tbprof.views.fleet_summary import (
    SUMMARY_FORM,
    WindowSummary,
    document_of,
    summary_of,
    summary_of_document,
)

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


SCHEMA = 1

_HEADS = (
    *("run", "owner", "commit", "recorded", "GPUs", "watched", "step", "change", "busy", "comm.", "idle"),
    *("lost", "to", "alarm", "problem"),
)
_RIGHT = range(4, 12)
"""Columns of figures."""

_WIDTH = 120
"""Of what no terminal shows."""
_LEAST_WIDTH = 80
_GAP = 2
_INDENT = " " * 4

_UNKNOWN = "-"
_COMMIT_DIGITS = 10


def fleet_text(view: FleetView) -> str:
    """Two sentences, and of each run its figures in a line and what to know of it below, none of it cut.

    As wide as the terminal, which `COLUMNS` can tell; what is not recorded is a dash.
    """
    width = max(shutil.get_terminal_size((_WIDTH, 0)).columns, _LEAST_WIDTH)
    lines = [(_HEADS[0], *(_HEADS[at] for at in _RIGHT)), *map(_figures, view.rows)]
    cells = [[plain(cell) for cell in line] for line in lines]
    widths = [max(len(line[at]) for line in cells) for at in range(1, len(cells[0]))]
    room = min(width - sum(widths) - _GAP * len(widths), max(len(line[0]) for line in cells))
    head, *rows = (_run_lines(name, figures, widths, room) for name, *figures in cells)
    sentences = [line for said in (view.verdict, view.detail) for line in _wrapped(plain(said), width, "")]
    table = [
        *head,
        *(line for row, run in zip(rows, view.rows, strict=True) for line in (*row, *_about(run, width))),
    ]
    return "\n".join([*sentences, "", *table]) + "\n"


def fleet_json(view: FleetView) -> str:
    """One object, all figures as they are; null is not recorded."""
    return json_text(
        {
            "schema": SCHEMA,
            "verdict": view.verdict,
            "detail": view.detail,
            "runs": [dataclasses.asdict(row) for row in view.rows],
        }
    )


def fleet_markdown(view: FleetView) -> str:
    """The same table, for a page or a ticket."""
    lines = [
        f"**{prose(view.verdict)}**",
        "",
        prose(view.detail),
        "",
        "| " + " | ".join(_HEADS) + " |",
        "|" + "|".join("---:" if at in _RIGHT else "---" for at in range(len(_HEADS))) + "|",
        *("| " + " | ".join(_marked(_cells(row))) + " |" for row in view.rows),
    ]
    return "".join(f"{line}\n" for line in lines)


def _marked(cells: Sequence[str]) -> list[str]:
    run, *rest = cells
    return [code(run), *map(escaped, rest)]


def _cells(row: FleetRow) -> tuple[str, ...]:
    about = (
        row.run,
        row.owner or _UNKNOWN,
        (row.commit or _UNKNOWN)[:_COMMIT_DIGITS],
        f"{datetime.fromtimestamp(row.recorded_s, timezone.utc):%Y-%m-%d %H:%M}",
    )
    if row.state != "ready":
        return (*about, *[_UNKNOWN] * len(_RIGHT), row.problem or NOT_READ, "", "")
    figures = (
        _UNKNOWN if row.gpus is None else str(row.gpus),
        _UNKNOWN if row.watched_s is None else hours(row.watched_s),
        _UNKNOWN if row.step_us is None else duration(row.step_us),
        _UNKNOWN if row.change is None else f"{'+' if row.change > 0 else ''}{share(row.change)}",
        *(_UNKNOWN if part is None else share(part) for part in (row.busy, row.communication, row.idle)),
        _lost(row),
    )
    return (*about, *figures, _top(row), row.alarm, row.problem)


def _top(row: FleetRow) -> str:
    """The line, or what is to be recorded first."""
    return f"{row.top_rule} {row.top_place}".strip() if row.top_rule else row.top_action.replace("`", "")


def _lost(row: FleetRow) -> str:
    if row.lost_gpu_s is None or not row.top_rule:
        return _UNKNOWN
    return gpu_time(row.lost_gpu_s) if row.is_estimate else f"<= {gpu_time(row.lost_gpu_s)}"


def _figures(row: FleetRow) -> tuple[str, ...]:
    cells = _cells(row)
    return (cells[0], *(cells[at] for at in _RIGHT))


def _run_lines(name: str, figures: Sequence[str], widths: Sequence[int], room: int) -> list[str]:
    """The name and the figures; a name that is too long for its column has a line of its own."""
    placed = (" " * _GAP).join(cell.rjust(width) for cell, width in zip(figures, widths, strict=True))
    if len(name) > room:
        return [name, f"{'':{room + _GAP}}{placed}"]
    return [f"{name:<{room + _GAP}}{placed}"]


def _about(row: FleetRow, width: int) -> list[str]:
    """Whose run it is and of which commit, where most of it is lost, what it added, what is wrong."""
    _, owner, commit, recorded, *_, place, alarm, problem = _cells(row)
    if row.state == "ready" and row.top_rule:
        place += f": {row.top_action}"
    about = [owner, "no commit" if row.commit is None else f"commit {commit}", recorded]
    if alarm and not row.is_alarm and row.commit is not None:
        about.append(alarm)
    warnings = (alarm if row.is_alarm else "", problem)
    texts = [", ".join(about), place, *(f"! {warning}" for warning in warnings if warning)]
    return [line for text in texts for line in _wrapped(plain(text), width, _INDENT)]


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """At spaces only: a path stays whole."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_long_words=False,
        break_on_hyphens=False,
    )


_FORMS = {
    "text": fleet_text,
    "json": fleet_json,
    "csv": lambda view: fleet_csv(view.rows),
    "markdown": fleet_markdown,
}


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("fleet")
    parser.add_argument("logdir", type=path_of, metavar="LOGDIR", help="a log directory with runs")
    about = "only runs with all of these words: of rules, lines, kernels, names"
    parser.add_argument("--search", default="", metavar="WORDS", help=about)
    parser.add_argument("--sort", choices=SORTS, default=SORTS[0], help=f"default: {SORTS[0]}")
    parser.add_argument("--reverse", action="store_true", help="the other end first")
    add_top(parser, "only the N first runs")
    parser.add_argument("--format", choices=tuple(_FORMS), default="text")
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
    entries = fleet_entries(fleet_windows(options.logdir, use_cache=not options.no_cache, executor=executor))
    question = FleetQuestion(options.search, options.sort, options.reverse)
    view = fleet_view(entries, question, most=options.top)
    with Output(options.output) as output:
        output.put(_FORMS[options.format](view))
    return 0


def fleet_windows(folder: Path, *, use_cache: bool, executor: Executor | None) -> list[FleetWindow]:
    """By run; what is left out of the folder costs one line on stderr each.

    Raises:
        UsageError: There is no run.
    """
    listing = Discovery(folder, looks_like_trace).find()
    for file in listing.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    newest = newest_windows(listing.windows)
    if not newest:
        raise nothing_to_read(folder)
    kept = KeptSummaries(str(folder.absolute()), SUMMARY_FORM) if use_cache else None
    known = {} if kept is None else dict(_known(kept, [window for window, _, _ in newest]))
    missing = [window for window, _, _ in newest if _path(window) not in known]
    problems: dict[str, str] = {}
    for window, report in read_windows(missing, executor, use_cache=use_cache):
        if isinstance(report, TbprofError):
            problems[_path(window)] = str(report)
            continue
        known[_path(window)] = summary_of(report)
        if kept is not None and (identity := _identity(window)) is not None:
            kept.keep(_path(window), identity, document_of(known[_path(window)]))
    if kept is not None and missing:
        kept.save([_path(window) for window, _, _ in newest])
    return [
        FleetWindow(
            _named(window, folder),
            count,
            first_ns,
            owner_of(_path(window)),
            known.get(_path(window)),
            problems.get(_path(window), ""),
        )
        for window, count, first_ns in newest
    ]


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
