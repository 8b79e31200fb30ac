"""`tbprof run train.py ...`: profile a training without an edit to it."""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tbprof.errors import UsageError

if TYPE_CHECKING:
    from tbprof.cli.parsers import Commands

__all__ = ["add_to", "command_with_torch", "run_with_torch"]


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("run", help="profile a training script without an edit to it")
    parser.add_argument("--logdir", help="the run's folder; default: logs/<name of the program>")
    parser.add_argument("--skip-first", type=int, metavar="STEPS", help="optimizer steps before it")
    parser.add_argument("--active", type=int, metavar="STEPS", help="optimizer steps to record")
    parser.add_argument(
        "--sync-callbacks",
        action="store_true",
        help="on CUDA, see torch.cuda.synchronize() as well; slows this run's allocations from its window on",
    )
    parser.add_argument("-m", "--module", action="store_true", help="PROGRAM is a module, as for python -m")
    parser.add_argument("program", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script is given")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Become the program, with the hook in it; ends with the program's exit code.

    Raises:
        UsageError: torch is missing.
    """
    given = {"--logdir": options.logdir, "--skip-first": options.skip_first, "--active": options.active}
    passed_on = [str(part) for name, value in given.items() if value is not None for part in (name, value)]
    wanted = {"--module": options.module, "--sync-callbacks": options.sync_callbacks}
    passed_on += [name for name, is_wanted in wanted.items() if is_wanted]
    return run_with_torch("tbprof.hook.run", [*passed_on, options.program, *options.arguments])


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


def command_with_torch(module: str, arguments: list[str]) -> list[str]:
    """How Python runs a module that needs torch.

    Raises:
        UsageError: torch is missing.
    """
    if importlib.util.find_spec("torch") is None:
        raise UsageError("this command watches a training and needs torch: pip install 'tbprof[train]'")
    return [sys.executable, "-m", module, *arguments]
