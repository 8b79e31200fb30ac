"""`tbprof run train.py ...`: profile a training without changing its code."""

from __future__ import annotations

import argparse
import functools
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tbprof.cli.torch_command import command_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Become the program, with the hook in it; ends with the program's exit code."""
    add_module_with_torch(commands, "run", "tbprof.hook.run")


def add_module_with_torch(commands: Commands, name: str, module: str, *first: str) -> None:
    """A command whose options are those of a module that needs torch, which is given `first` before them.

    Its `run` raises `UsageError` where torch is missing, and ends with the module's exit code.
    """
    parser = commands.add_parser(
        name,
        add_help=False,
        # Nothing looks like an option here: argparse would take the first one for its own.
        prefix_chars="\0",
    )
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    parser.set_defaults(run=functools.partial(_run, module, first))


def add_command_with_torch(commands: Commands, name: str, module: str) -> None:
    """The same of a module that has `run`, and can be interrupted while it is imported."""
    add_module_with_torch(commands, name, "tbprof.command_process", module)


def _run(module: str, first: tuple[str, ...], options: argparse.Namespace) -> int:
    """Run the module in Python, in place of this process where the system can."""
    command = command_with_torch(module, (*first, *options.arguments))
    if os.name == "posix":
        # Nothing stands between the program and its signals, its output and its exit code.
        os.execv(sys.executable, command)
    return subprocess.run(command, check=False).returncode
