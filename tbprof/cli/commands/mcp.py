"""`tbprof mcp`: the commands as tools for agents, over the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.reading import local_path
from tbprof.errors import UsageError

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("mcp")
    parser.add_argument(
        "--root", type=local_path, default=Path(), help="what agents may read, and run; default: this folder"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until stdin ends.

    Raises:
        UsageError: The SDK is missing, or the root is no folder.
    """
    if not options.root.is_dir():
        raise UsageError(f"{options.root} is no folder: name the project's with --root")
    try:
        from tbprof.mcp.server import server_below
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "anyio", "pydantic"):
            raise
        raise UsageError("tbprof mcp needs the protocol's SDK: pip install 'tbprof[mcp]'") from error
    server_below(options.root).run("stdio")
    return 0
