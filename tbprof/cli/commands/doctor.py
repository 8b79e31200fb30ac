"""`tbprof doctor [LOGDIR]`: what stood in the way of the last windows, and stands in that of the next."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.reading import local_path
from tbprof.cli.torch_command import command_with_torch
from tbprof.cli.window_reading import read_windows
from tbprof.errors import TbprofError, UsageError
from tbprof.escaping import plain
from tbprof.model import Report, Window
from tbprof.standard_streams import put
from tbprof.store.discovery import Discovery
from tbprof.trace.importers.sniffing import looks_like_trace
from tbprof.views.overview_view import overview_view

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands

MOST_WINDOWS = 20
"""The most windows that are looked at: of a run on many ranks, so many tell enough."""

FOUND = 1

_NOTES = "notes"
_HEADS = {
    "recording": "In the way of the next recording:",
    "runs": "Left by the last runs:",
    "windows": "Against the figures of the newest windows:",
    _NOTES: "To know:",
}
"""In the order of how bad it is."""

_STATES = ("error", "warning")


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("doctor")
    parser.add_argument(
        "logdir",
        nargs="?",
        type=local_path,
        default=Path("logs"),
        help="where the results are, or would go; default: %(default)s",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a sentence for each thing that is wrong, the worst first; 0 if there is none.

    Raises:
        UsageError: torch is missing, or the machine can't be looked at.
    """
    said = _asked_of_the_machine(options.logdir)
    newest = _newest_windows(options.logdir)
    said["windows"] = list(_window_problems(newest))
    if not newest:
        said[_NOTES].append(_no_window_sentence(options.logdir))
    for group, head in _HEADS.items():
        if said[group]:
            put(f"{head}\n")
        for sentence in said[group]:
            put(f"  {plain(_relative(sentence))}\n")
    is_well = not any(said[group] for group in _HEADS if group != _NOTES)
    if is_well:
        put("Nothing is missing for a good recording.\n")
    return 0 if is_well else FOUND


def _asked_of_the_machine(logdir: Path) -> dict[str, list[str]]:
    """What a process finds that imports torch, by group."""
    machine = subprocess.run(
        command_with_torch("tbprof.hook.doctor", [str(logdir)]),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    try:
        said: dict[str, list[str]] = json.loads(machine.stdout)
    except ValueError:
        raise UsageError(
            f"the look at this machine ended with code {machine.returncode}: its own message is above"
        ) from None
    return said


def _relative(sentence: str) -> str:
    """Names of files as they are seen from the current folder."""
    return sentence.replace(f"{Path.cwd()}{os.sep}", "")


def _no_window_sentence(logdir: Path) -> str:
    """What is named may be where the results would go."""
    if not logdir.exists():
        return f"{logdir} does not exist yet: no runs to check."
    return f"{logdir} holds no window yet: no runs to check."


def _newest_windows(logdir: Path) -> Sequence[Window]:
    """The newest of each run and worker, with a report or without."""
    windows = Discovery(logdir, looks_like_trace).find().windows
    newest = {(window.run, window.worker): window for window in windows}
    return sorted(newest.values(), key=lambda window: window.order_ns)[-MOST_WINDOWS:]


def _window_problems(windows: Sequence[Window]) -> Iterator[str]:
    """What speaks against their figures, or why there are none."""
    for window, report in read_windows(windows, None, use_cache=True):
        if isinstance(report, TbprofError):
            yield str(report)
        else:
            yield from (f"{window.run}, {window.worker}: {problem}" for problem in _problems(report))


def _problems(report: Report) -> Iterator[str]:
    rows = [row for row in overview_view(report).trust if row.state in _STATES]
    for row in sorted(rows, key=lambda row: _STATES.index(row.state)):
        yield f"{row.title} {row.figure}: {row.detail}" if row.title else row.detail
