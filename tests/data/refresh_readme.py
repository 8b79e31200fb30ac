"""Print what README shows first again, in both languages: `python tests/data/refresh_readme.py`.

It shows what its first command prints, up to the third change. A test compares them.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib

from tbprof.cli.main import main

REPOSITORY = pathlib.Path(__file__).parents[2]
READMES = tuple(REPOSITORY / name for name in ("README.md", "README.zh-CN.md"))

_START, _END = "```text\n$ tbprof ", "```\n"
_PARAGRAPHS = 5
"""The window, the opening, and three changes."""


def shown(command: str) -> str:
    """The begin of what `tbprof COMMAND` prints in the folder of the repository."""
    printed = io.StringIO()
    os.chdir(REPOSITORY)
    with contextlib.redirect_stdout(printed):
        main(command.split())
    paragraphs = printed.getvalue().replace("\u202f", " ").split("\n\n")
    return "\n\n".join(paragraphs[:_PARAGRAPHS]) + "\n"


def refresh() -> None:
    for path in READMES:
        before, start, rest = path.read_text(encoding="utf-8").partition(_START)
        command = rest.partition("\n")[0]
        after = rest.partition(_END)[2]
        path.write_text(f"{before}{start}{command}\n{shown(command)}{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    refresh()
