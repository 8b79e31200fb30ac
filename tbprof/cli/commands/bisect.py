"""`tbprof bisect GOOD BAD train.py`: the commit that brought a site, without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.cli.commands.run import add_command_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Run the program of some of the commits between; ends with the exit code of what was found."""
    add_command_with_torch(commands, "bisect", "tbprof.preflight.bisect")
