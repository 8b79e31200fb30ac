"""`tbprof report PATH...`: windows and runs, as text, JSON, CSV, markdown or a page.

Windows are printed as they are read, and none is kept.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tbprof.cli.commands.report_forms import report_parts
from tbprof.cli.output_file import Output, tell
from tbprof.cli.parser import WORKERS_HELP, add_top, add_width
from tbprof.cli.reading import is_piped, local_path, other_file, path_of
from tbprof.cli.window_reading import WindowReader, WindowReport
from tbprof.errors import UsageError
from tbprof.model import SEVERITIES

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands
    from tbprof.cli.window_reading import Shard
    from tbprof.executors.analyzing import Executor
    from tbprof.model import Report

FOUND = 1
_COULD_NOT = 2

_SUMMARY_FORMS = ("text", "csv", "json", "markdown")


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("report")
    parser.add_argument(
        "paths",
        type=path_of,
        nargs="+",
        metavar="PATH",
        help="a trace, a stored report (*.tbprof.pb), or a folder of them; - is stdin; or a snapshot "
        "of torch's allocator (pickle)",
    )
    parser.add_argument("--format", choices=("text", "json", "csv", "markdown", "html"), default="text")
    parser.add_argument("--summary", action="store_true", help="the runs as tbprof fleet lists them")
    add_top(parser, "of windows, or runs, the N that are idle most")
    add_width(parser)
    parser.add_argument("-o", "--output", type=local_path, metavar="FILE", help="write there, not to stdout")
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        metavar="SEVERITY",
        help=f"exit with 1 if a finding is at least this bad: {', '.join(SEVERITIES)}",
    )
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of reports")
    parser.add_argument("--workers", metavar="WHERE", help=WORKERS_HELP)
    parser.add_argument(
        "--against",
        type=path_of,
        metavar="FILE",
        help="an earlier trace or stored report: what changed since, and why",
    )
    parser.add_argument(
        "--shard", metavar="I/N", help="of each folder's windows part I of N, for one of N machines"
    )
    parser.add_argument(
        "--store", action="store_true", help="leave each report beside its trace, where others look for it"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the report of a file, or of all windows of files and folders; 2 where one could not be read.

    Raises:
        TbprofError: Nothing could be read, or what is asked for can't be had together.
    """
    _check(options)
    if options.against is not None:
        from tbprof.cli.comparison_text import compared_text

        with Output(options.output, ends_with_reader=True) as output:
            output.put(compared_text(options.against, options.paths[0], use_cache=not options.no_cache))
        return 0
    has_more_to_do = options.store or options.fail_on is not None
    with Output(options.output, ends_with_reader=not has_more_to_do) as output:
        if other := other_file(options.paths):
            from tbprof.cli.commands.report_memory import other_text

            output.put(other_text(*other, options))
            return 0
        reader = WindowReader(
            options.paths,
            use_cache=not options.no_cache,
            executor=_executor(options.workers),
            shard=_shard(options.shard),
            needs_windows=_needs_windows(options),
        )
        seen = _Seen(reader, options)
        for part in report_parts(seen, options, reader):
            output.put(part)
    if reader.has_failed:
        return _COULD_NOT
    return FOUND if seen.is_found else _COULD_NOT if seen.is_unjudged else 0


def _needs_windows(options: argparse.Namespace) -> bool:
    """What has no window is none to judge, to compare or to draw; it can be named."""
    tells = options.format in ("text", "markdown", "json") and not options.summary and options.top is None
    return not tells or options.fail_on is not None


def _executor(words: str | None) -> Executor | None:
    if words is None:
        return None
    from tbprof.executors.choosing import executor_of

    return executor_of(words)


def _shard(words: str | None) -> Shard | None:
    if words is None:
        return None
    from tbprof.cli.window_reading import shard_of

    return shard_of(words)


class _Seen:
    """The windows on their way to the output, with what is done with each whatever its form."""

    def __init__(self, windows: Iterable[WindowReport], options: argparse.Namespace) -> None:
        self._windows = windows
        self._stores = options.store
        self._began_ns = time.time_ns()
        self._bad = SEVERITIES[: SEVERITIES.index(options.fail_on) + 1] if options.fail_on else ()
        self.is_found = False
        """Whether one has a finding that `--fail-on` asks for."""
        self.is_unjudged = False
        """Whether `--fail-on` asks of one that can't be judged."""

    def __iter__(self) -> Iterator[WindowReport]:
        for window, report in self._windows:
            self.is_found |= any(finding.severity in self._bad for finding in report.findings)
            if self._bad:
                self._ask_whether_judged(report)
            if self._stores:
                from tbprof.store.windows import store_beside

                if why := store_beside(window, report, read_after_ns=self._began_ns):
                    tell(why)
            yield window, report

    def _ask_whether_judged(self, report: Report) -> None:
        from tbprof.views.opening import unjudged_sentence

        if why := unjudged_sentence(report):
            tell(f"{report.trace.path}: {why}")
            self.is_unjudged = True


def _check(options: argparse.Namespace) -> None:
    if options.against is not None:
        _check_comparison(options)
    if options.summary and options.format not in _SUMMARY_FORMS:
        raise UsageError(f"--summary has no {options.format}: give {', '.join(_SUMMARY_FORMS)}")
    if options.format == "csv" and not options.summary:
        raise UsageError("only --summary is a table: give --format json, or --summary")
    if options.shard is not None and options.format == "html":
        # Of the other parts' ranks it would say that none was recorded.
        raise UsageError("a page compares all ranks: read each --shard with --store, then print it without")
    if options.store and any(map(is_piped, options.paths)):
        raise UsageError("what comes through a pipe lies nowhere: --store needs files or folders")


def _check_comparison(options: argparse.Namespace) -> None:
    """What compares two files does nothing else."""
    asked = {
        "more than one PATH": len(options.paths) > 1,
        f"--format {options.format}": options.format != "text",
        "--summary": options.summary,
        "--top": options.top is not None,
        "--fail-on": options.fail_on is not None,
        "--workers": options.workers is not None,
        "--shard": options.shard is not None,
        "--store": options.store,
    }
    if refused := [name for name, is_asked in asked.items() if is_asked]:
        raise UsageError(f"--against prints two files' comparison as text, without {', '.join(refused)}")
