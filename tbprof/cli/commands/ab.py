"""`tbprof ab BEFORE AFTER train.py`: what a change really wins on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.cli.commands.run import add_command_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Run the program before and after the change in turns; ends with the exit code of the verdict."""
    add_command_with_torch(commands, "ab", "tbprof.experiment.ab")
