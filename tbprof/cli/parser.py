"""The parser of a command line."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, TypeAlias

from tbprof.errors import UsageError


class Parser(argparse.ArgumentParser):
    """Prints help as wide as the terminal, as argparse does.

    That asks `shutil` for the width, once for each option that is declared; to import it takes 3 ms.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})


class _Help(argparse.HelpFormatter):
    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(**{"prog": prog, "width": _terminal_columns() - 2, **options})


def _terminal_columns() -> int:
    """As `shutil.get_terminal_size` finds them."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        columns = os.get_terminal_size(sys.__stdout__.fileno()).columns if sys.__stdout__ else 0
    except (ValueError, OSError):
        columns = 0
    return columns or 80


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

WORKERS_HELP = (
    "who reads traces: N processes of this machine, by default one a core; tcp://HOST:PORT of a Dask "
    "scheduler; ray, or ray://HOST:PORT"
)


def add_top(parser: argparse.ArgumentParser, what: str) -> None:
    """Of a list the N first; `what` says of which. Less than one is refused."""
    parser.add_argument("--top", type=_top, metavar="N", help=what)


def _top(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None
    if number < 1:
        raise UsageError(f"--top {number} shows nothing: give 1 or more")
    return number
