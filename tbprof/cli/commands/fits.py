"""`tbprof fits train.py --batch 8,16,32`: the memory of a GPU that a training would need, without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.cli.commands.run import add_module_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Run the program once a batch size; ends with the exit code of what that says."""
    add_module_with_torch(commands, "fits", "tbprof.preflight.fits")
