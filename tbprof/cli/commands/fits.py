"""`tbprof fits train.py --batch 8,16,32`: the memory of a GPU that a training would need, without a GPU."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tbprof.cli.commands.run import run_with_torch

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to"]


def add_to(commands: Commands) -> None:
    """Its options are those of the module that runs the program, where torch is."""
    parser = commands.add_parser(
        "fits",
        add_help=False,
        # Nothing looks like an option here: argparse would take the first one for its own.
        prefix_chars="\0",
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the program once a batch size; ends with the exit code of what that says.

    Raises:
        UsageError: torch is missing.
    """
    return run_with_torch("tbprof.preflight.fits", options.arguments)
