"""`tbprof explain CODE`: what a rule finds, why it costs, how to fix it."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING

from tbprof.standard_streams import put
from tbprof.texts.rule_pages import all_rules, rule_text
from tbprof.views.pages import rule_page

if TYPE_CHECKING:
    from tbprof.cli.parser import Commands

_WIDTH = 88


def add_to(commands: Commands) -> None:
    parser = commands.add_parser("explain")
    parser.add_argument("code", nargs="?", help="a rule's code, such as SYN01; without one, all are listed")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a rule's page, or the list of rules.

    Raises:
        UsageError: There is no such rule.
    """
    if options.code is None:
        for rule in all_rules():
            put(f"{rule.code}  {rule.name:<22} {rule.title}\n")
        return 0
    page = rule_page(rule_text(options.code))
    put(f"{page.code} {page.name}: {page.title}\n")
    for section in page.sections:
        put(f"\n{section.title}\n{_wrapped(section.text)}\n")
    if page.guides:
        put("\nIn the guides\n")
    for guide in page.guides:
        put(f"{_wrapped(f'{guide.guide}: {guide.advice}')}\n    {guide.url}\n")
    put(f"\nThis page: {page.url}\n")
    return 0


def _wrapped(text: str) -> str:
    """Prose is broken to the width; code, which is indented, stays as it is."""
    wrapper = textwrap.TextWrapper(_WIDTH, initial_indent="  ", subsequent_indent="  ")
    return "\n".join(
        f"  {line}" if line.startswith("    ") else wrapper.fill(line) for line in text.splitlines()
    )
