"""`tbprof publish TRACE --logdir DIR`: what the trainer hook starts after each window."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.output.plain_text import plain
from tbprof.cli.processes.gpu_processes import add_other_processes
from tbprof.standard_streams import put
from tbprof.store.publishing.publishing import facts_of, publish_window
from tbprof.store.publishing.retention import Limits
from tbprof.texts.screens.window_line import window_line

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to"]

DEADLINE_S = 600
_LOWEST_PRIORITY = 19
_COULD_NOT = 2


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("publish", help="check, analyse and publish a trace that the hook recorded")
    parser.add_argument("trace", type=Path, help="the trace as torch.profiler wrote it")
    parser.add_argument("--logdir", type=Path, required=True, help="the run's folder")
    parser.add_argument("--keep-windows", type=int, metavar="N", help="raw traces of each worker to keep")
    parser.add_argument("--keep-bytes", type=int, metavar="N", help="bytes of the run to keep, in all")
    parser.add_argument("--gpu", metavar="UUID", help="ask the driver who else is on this device")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Publish one window at low priority, within `DEADLINE_S` seconds.

    Raises:
        TraceError: The trace is not whole.
        PublishError: The run's folder can't be written to.
    """
    deadline = threading.Timer(DEADLINE_S, _give_up, [options.trace])
    deadline.daemon = True
    deadline.start()
    with contextlib.suppress(OSError):
        if hasattr(os, "nice"):
            os.nice(_LOWEST_PRIORITY)
    try:
        if options.gpu is not None:
            add_other_processes(facts_of(options.trace), options.gpu)
        published = publish_window(options.trace, options.logdir, limits=_limits(options))
    finally:
        deadline.cancel()
    put(f"published {published.trace}\n{plain(window_line(published.report))}\n")
    return 0


def _limits(options: argparse.Namespace) -> Limits | None:
    if options.keep_windows is None or options.keep_bytes is None:
        return None
    return Limits(options.keep_windows, options.keep_bytes)


def _give_up(trace: Path) -> None:
    # A hung file system holds the main thread; only the process as a whole can end.
    sys.stderr.write(f"tbprof: {trace} was not published within {DEADLINE_S} s and stays where it is\n")
    sys.stderr.flush()
    os._exit(_COULD_NOT)
