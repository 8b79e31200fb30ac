"""Colors of a report on a terminal; the words alone say the same."""

from __future__ import annotations

import os
import re
import sys

_BOLD, _RED, _YELLOW, _GREEN, _OFF = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[0m"

_SEVERITY = {"critical": _RED, "high": _RED, "medium": _YELLOW, "low": _GREEN}

_GRADED = re.compile(rf"(?<=[A-Z]{{3}}\d\d )({'|'.join(_SEVERITY)})\b")

_ACTION = re.compile(r"^  \d+\. .*$", re.MULTILINE)

_FIRST = re.compile(r"^First: .*$", re.MULTILINE)

_HEADS = 3
"""What it is of, an empty line, the verdict."""


def wants_color() -> bool:
    """Whether stdout is a terminal that shows colors, and nobody asked for none (no-color.org)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if os.name == "nt" and "WT_SESSION" not in os.environ:
        # Older consoles print the codes.
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def colored(text: str) -> str:
    """The text of a report with its verdict and its actions in bold, and severities in their colors."""
    lines = text.split("\n", _HEADS)
    if len(lines) > _HEADS:
        lines[2] = f"{_BOLD}{lines[2]}{_OFF}"
    bold = _ACTION.sub(lambda found: f"{_BOLD}{found[0]}{_OFF}", "\n".join(lines))
    bold = _FIRST.sub(lambda found: f"{_GREEN}{found[0]}{_OFF}", bold)
    return _GRADED.sub(lambda found: f"{_SEVERITY[found[1]]}{found[1]}{_OFF}", bold)
