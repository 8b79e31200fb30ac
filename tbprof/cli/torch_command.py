"""How Python runs the modules that need torch, which this process never imports."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tbprof.cli.preflight_document import Json
from tbprof.errors import UsageError

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_command_with_torch(commands: Commands, name: str, module: str, *first: str) -> None:
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


def _run(module: str, first: tuple[str, ...], options: argparse.Namespace) -> int:
    """Run the module in Python, in place of this process where the system can."""
    command = command_with_torch(module, (*first, *options.arguments))
    if os.name == "posix":
        # Nothing stands between the program and its signals, its output and its exit code.
        os.execv(sys.executable, command)
    return subprocess.run(command, check=False).returncode


def command_with_torch(module: str, arguments: Sequence[str]) -> list[str]:
    """`python -m module arguments...`, in the user's own environment: it runs the user's program.

    What this process was given for warnings (`python -W error -m tbprof ...`) is meant for that program.

    Raises:
        UsageError: torch is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError("this command runs a program and needs torch: pip install 'tbprof[train]'")
    warnings = [f"-W{option}" for option in sys.warnoptions]
    return [sys.executable, *warnings, "-m", module, *arguments]


def run_preflight(program: str, arguments: Sequence[str], options: Sequence[str] = ()) -> Json:
    """Run a program without a GPU, its output on stderr, and take what preflight says of it.

    Raises:
        UsageError: torch is missing, or nothing was said.
    """
    command = command_with_torch(
        "tbprof.preflight", ["--format", "json", *options, program, "--", *arguments]
    )
    ended = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    try:
        document: Json = json.loads(ended.stdout)
    except ValueError:
        raise UsageError(
            f"preflight of {program} ended with code {ended.returncode} and no report: "
            + ("its own message is above" if ended.returncode else "the program ends its process itself")
        ) from None
    return document
