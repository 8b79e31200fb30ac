"""`tbprof fix train.py`: edits of the lines that wait, each proved, without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.cli.commands.run import add_command_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Find edits and have them proved; ends with the exit code of that."""
    add_command_with_torch(commands, "fix", "tbprof.preflight.fix.command")
