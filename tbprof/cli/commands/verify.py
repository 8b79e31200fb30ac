"""`tbprof verify train.py --line FILE:LINE`: what a line that waits really costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.cli.commands.run import add_command_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Run the program, with a wait before the line in some of its steps."""
    add_command_with_torch(commands, "verify", "tbprof.experiment.verify")
