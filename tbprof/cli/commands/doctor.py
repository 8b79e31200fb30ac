"""`tbprof doctor [LOGDIR]`: what stood in the way of the last windows, and stands in that of the next."""

from __future__ import annotations

import argparse
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.output.plain_text import plain
from tbprof.cli.processes.torch_command import command_with_torch
from tbprof.errors import TbprofError
from tbprof.model import Window
from tbprof.report import looks_like_trace
from tbprof.standard_streams import put
from tbprof.store.lookup.discovery import Discovery
from tbprof.store.lookup.reports import report_of_window
from tbprof.views.overview.trust import trust_rows

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to"]

MOST_WINDOWS = 20
"""Of a run on many ranks, so many tell enough."""

FOUND = 1


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("doctor", help="say what a good recording lacks on this machine")
    parser.add_argument(
        "logdir",
        nargs="?",
        type=Path,
        default=Path("logs"),
        help="where the results are, or would go; default: %(default)s",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a sentence for each thing that is wrong; 0 if nothing is.

    Raises:
        UsageError: torch is missing.
    """
    problems = list(_window_problems(options.logdir))
    for problem in problems:
        put(f"{plain(problem)}\n")
    machine = subprocess.run(
        command_with_torch("tbprof.hook.doctor", [str(options.logdir)]),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8:replace"},
        check=False,
    )
    put(machine.stdout)
    return max(machine.returncode, FOUND if problems else 0)


def _window_problems(logdir: Path) -> Iterator[str]:
    """What speaks against the figures of the newest published window of each run and worker."""
    windows = Discovery(logdir, looks_like_trace).find().windows
    published = {(window.run, window.worker): window for window in windows if window.report_path is not None}
    newest = sorted(published.values(), key=lambda window: window.order_ns)[-MOST_WINDOWS:]
    for window in newest:
        try:
            yield from (f"{window.run}, {window.worker}: {problem}" for problem in _problems(window))
        except TbprofError as error:
            yield str(error)


def _problems(window: Window) -> Iterator[str]:
    for row in trust_rows(report_of_window(window, use_cache=True)):
        if row.state in ("warning", "error"):
            yield f"{row.title} {row.figure}: {row.detail}" if row.title else row.detail
