"""`tbprof run train.py ...`: profile a training without an edit to it."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tbprof.cli.processes.torch_command import command_with_torch

if TYPE_CHECKING:
    from tbprof.cli.commands.parsers import Commands

__all__ = ["add_to", "run_with_torch"]


def add_to(commands: Commands) -> None:
    """Its options are those of the module that runs the program: all that the hook has."""
    parser = commands.add_parser(
        "run",
        add_help=False,
        # Nothing looks like an option here: argparse would take the first one for its own.
        prefix_chars="\0",
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Become the program, with the hook in it; ends with the program's exit code.

    Raises:
        UsageError: torch is missing.
    """
    return run_with_torch("tbprof.hook.run", options.arguments)


def run_with_torch(module: str, arguments: list[str]) -> int:
    """Run a module that needs torch in Python, in place of this process where the system can.

    Raises:
        UsageError: torch is missing.
    """
    command = command_with_torch(module, arguments)
    if os.name == "posix":
        # Nothing stands between the program and its signals, its output and its exit code.
        os.execv(sys.executable, command)
    return subprocess.run(command, check=False).returncode
