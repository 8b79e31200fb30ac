"""`tbprof preflight train.py`: the lines that would sync or copy, without a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tbprof.cli.commands.run import add_module_with_torch

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    """Become the program, watched; ends with preflight's exit code."""
    add_module_with_torch(commands, "preflight", "tbprof.preflight")
