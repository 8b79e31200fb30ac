"""`tbprof fleet LOGDIR`: all runs of a log directory, those first that waste most."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tbprof.cli.commands.parsers import WORKERS_HELP, add_top
from tbprof.cli.input.fleet_windows import fleet_windows
from tbprof.cli.input.places import local_path, path_of
from tbprof.cli.input.reading import is_folder
from tbprof.cli.output.fleet_text import fleet_json, fleet_markdown, fleet_text
from tbprof.cli.output.output_file import Output
from tbprof.errors import UsageError
from tbprof.views.fleet.fleet_csv import fleet_csv
from tbprof.views.fleet.fleet_entries import fleet_entries
from tbprof.views.fleet.listing import SORTS, FleetQuestion, fleet_view

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

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
