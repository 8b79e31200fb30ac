"""`tbprof doctor`: what is missing for a good recording on this machine."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tbprof.cli.run import run_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parsers import Commands

__all__ = ["add_to"]


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("doctor", help="say what is missing for a good recording on this machine")
    parser.add_argument("--logdir", default="logs", help="where the results would go; default: %(default)s")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a sentence for each thing that is missing; 0 if nothing is.

    Raises:
        UsageError: torch is missing.
    """
    return run_with_torch("tbprof.hook.doctor", ["--logdir", options.logdir])
