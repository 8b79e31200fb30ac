"""Options of commands that run a program under preflight."""

from __future__ import annotations

import argparse


def add_run_options(parser: argparse.ArgumentParser, *, time_limit: float | None, limited: str) -> None:
    """Add those that say what a step is, how long a run may take, and whether the program is a module.

    Args:
        parser: What gets them.
        time_limit: The default; None for no limit.
        limited: What the limit does.
    """
    parser.add_argument(
        "--step-on",
        metavar="NAME",
        help="package.module:Class.method, or __main__:function of the script: each return ends a step",
    )
    parser.add_argument("--time-limit", type=float, default=time_limit, metavar="SECONDS", help=limited)
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is a module, as for python -m")
