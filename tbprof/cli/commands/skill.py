"""`tbprof skill`: how an agent works with tbprof, in the format that agents read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import tbprof.mcp
from tbprof.cli.output_file import Output
from tbprof.cli.reading import local_path
from tbprof.errors import UsageError
from tbprof.standard_streams import put

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands

_NAME = "SKILL.md"


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("skill")
    parser.add_argument(
        "--install",
        type=local_path,
        metavar="DIR",
        help="write tbprof/SKILL.md there, such as .claude/skills",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the text, or write it where an agent looks for it.

    Raises:
        UsageError: The folder can't be made, or the file can't be written.
    """
    text = (Path(tbprof.mcp.__file__).parent / _NAME).read_text(encoding="utf-8")
    if options.install is None:
        put(text)
        return 0
    folder = options.install / "tbprof"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} can't be made ({error.strerror}): name another folder") from error
    with Output(folder / _NAME) as output:
        output.put(text)
    put(f"{folder / _NAME}\n")
    return 0
