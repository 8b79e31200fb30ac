"""`tbprof session`: what people and agents have asked, proved, measured and decided in a project."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tbprof.cli.reading import local_path
from tbprof.errors import UsageError
from tbprof.session_file import KINDS, Session
from tbprof.standard_streams import put

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("session")
    parser.add_argument(
        "folder", nargs="?", type=local_path, default=Path(), help="the project; default: this folder"
    )
    parser.add_argument("--add", choices=KINDS, metavar="KIND", help=f"add a note: {', '.join(KINDS)}")
    parser.add_argument("--text", default="", help="of the note")
    parser.add_argument("--by", choices=("person", "agent"), default="person", help="who says it")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the session, or add a note to it.

    Raises:
        UsageError: There is none, it can't be written, or the note says nothing.
    """
    session = Session(options.folder)
    if options.add is not None:
        if not options.text.strip():
            raise UsageError(f"--add {options.add} says nothing: give --text")
        session.add(options.add, options.text, by=options.by)
    put(f"{session.text(last=1000)}\n")
    return 0
