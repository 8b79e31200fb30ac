"""What the parsers of several commands have in common."""

from __future__ import annotations

import argparse
import textwrap
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
    number = _int(text)
    if number < 1:
        raise UsageError(f"--top {number} shows nothing: give 1 or more")
    return number


_LEAST_WIDTH = 40


def add_width(parser: argparse.ArgumentParser) -> None:
    """An option for the columns that text takes; lists of runs take them from the environment."""
    parser.add_argument(
        "--width",
        type=_width,
        metavar="N",
        help="break lines of text at N columns, as COLUMNS does for lists",
    )


def _width(text: str) -> int:
    number = _int(text)
    if number < _LEAST_WIDTH:
        raise UsageError(f"--width {number} has no room for figures: give {_LEAST_WIDTH} or more")
    return number


def wrapped(text: str, width: int) -> str:
    """Text whose lines break at spaces, each with the indent that it began with."""
    lines = []
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())] + "  "
        lines += textwrap.wrap(
            line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines) + "\n"


def _int(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid int value: {text!r}") from None
