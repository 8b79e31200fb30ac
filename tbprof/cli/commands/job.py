"""`tbprof job RUN`: all ranks of a run together: who the others wait for, and why."""

from __future__ import annotations

import argparse
import dataclasses
from typing import TYPE_CHECKING

from tbprof.cli.output_file import Output
from tbprof.cli.parser import WORKERS_HELP
from tbprof.cli.reading import local_path, path_of
from tbprof.errors import UsageError
from tbprof.escaping import json_text

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands
    from tbprof.views.job.job_page import JobPage

_COULD_NOT = 2


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("job")
    parser.add_argument(
        "paths",
        type=path_of,
        nargs="+",
        metavar="RUN",
        help="the folder of a run, or the trace or stored report of each rank",
    )
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument(
        "--window",
        type=int,
        metavar="N",
        help="the N-th window of every rank, from 1 on (default: the last that all have)",
    )
    parser.add_argument("--workers", metavar="WHERE", help=WORKERS_HELP)
    parser.add_argument("-o", "--output", type=local_path, metavar="FILE", help="write there, not to stdout")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cache of reports")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the job of a run; 2 where no rank could be read.

    Raises:
        TbprofError: There is no such run or window, or the engine can't be reached.
    """
    if options.window is not None and options.window < 1:
        raise UsageError(f"--window {options.window} names no window: give 1 or more")
    from tbprof.cli.job_ranks import job_ranks
    from tbprof.executors.choosing import executor_of
    from tbprof.views.job.job_view import job_page

    executor = None if options.workers is None else executor_of(options.workers)
    found = job_ranks(options.paths, number=options.window, executor=executor, use_cache=not options.no_cache)
    if not found.ranks and len(found.problems) == len(options.paths) == 1:
        raise UsageError(found.problems[0].sentence)
    with Output(options.output) as output:
        page = job_page(found.ranks, found.problems, found.older)
        if found.note:
            page = dataclasses.replace(page, notes=(found.note, *page.notes))
        output.put(_text(page, options.format))
    return 0 if found.ranks else _COULD_NOT


def _text(page: JobPage, form: str) -> str:
    if form == "json":
        from tbprof.views.job.job_document import job_document

        return json_text(job_document(page))
    from tbprof.cli.job_text import job_markdown, job_text

    return job_markdown(page) if form == "markdown" else job_text(page)
