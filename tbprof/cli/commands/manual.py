"""`tbprof manual [PAGE]`: the manual in the terminal."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tbprof.manual.pages import all_pages, manual_text
from tbprof.standard_streams import put, reader_may_leave

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("manual")
    parser.add_argument("page", nargs="?", help="such as hook; without one, all pages are listed")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a page as Markdown, or the list of pages.

    Raises:
        UsageError: There is no such page.
    """
    with reader_may_leave():
        put(_list() if options.page is None else manual_text(options.page).markdown)
    return 0


def _list() -> str:
    pages = "".join(f"{page.name:<10} {page.summary}\n" for page in all_pages())
    return f"{pages}\nPrint one with: tbprof manual PAGE\n"
