"""The `tbprof` command.

Exit codes: 0 fine; 1 what `--fail-on`, `--forbid` or `--budget` asked for was found; 2 it could
not be done, with one sentence on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from tbprof.cli.output.stderr_messages import tell
from tbprof.errors import TbprofError
from tbprof.standard_streams import discard, flush_output, prepare_streams
from tbprof.version import __version__

__all__ = ["main"]

_COMMANDS = (
    "report",
    "check",
    "explain",
    "manual",
    "demo",
    "run",
    "preflight",
    "doctor",
    "classic",
    "publish",
)
"""Each is a module of `tbprof.cli.commands`."""
COULD_NOT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; the border at which errors become sentences."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    prepare_streams()
    parser = argparse.ArgumentParser(
        prog="tbprof", description="Which lines of a PyTorch program make the GPU wait, and what each costs."
    )
    parser.add_argument("--version", action="version", version=f"tbprof {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in _needed(given):
        import_module(f"tbprof.cli.commands.{command}").add_to(commands)
    try:
        try:
            options = parser.parse_args(given)
            code: int = options.run(options)
        finally:
            # What --help printed, too, which ends the command.
            flush_output()
    except TbprofError as error:
        return _say(str(error))
    except BrokenPipeError:
        # The reader of a pipe (head, less) has seen enough.
        discard(sys.stdout)
        return 0
    except KeyboardInterrupt:
        return _say("interrupted")
    except Exception as error:
        if os.environ.get("TBPROF_DEBUG"):
            raise
        fault = f"{type(error).__name__}: {error}"
        return _say(f"this is a fault of tbprof's ({fault}); TBPROF_DEBUG=1 shows where")
    return code


def _needed(given: Sequence[str]) -> Sequence[str]:
    """Only the command that is asked for: to import all takes longer than to publish a window."""
    return given[:1] if given and given[0] in _COMMANDS else _COMMANDS


def _say(sentence: str) -> int:
    tell(sentence)
    return COULD_NOT
