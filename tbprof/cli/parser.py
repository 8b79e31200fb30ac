"""What the parsers of several commands have in common."""

from __future__ import annotations

import argparse
from typing import TypeAlias

from tbprof.errors import UsageError

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

WORKERS_HELP = (
    "who reads traces: N processes of this machine, by default one a core; tcp://HOST:PORT of a Dask "
    "scheduler; ray, or ray://HOST:PORT"
)


def add_top(parser: argparse.ArgumentParser, what: str) -> None:
    """An option for the first N of a list; `what` names the list. Less than one is refused."""
    parser.add_argument("--top", type=_top, metavar="N", help=what)


def _top(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None
    if number < 1:
        raise UsageError(f"--top {number} shows nothing: give 1 or more")
    return number
