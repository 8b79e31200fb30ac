"""Text that others wrote, in a form that does nothing where it is printed: the only place that decides how.

Names in traces and reports, names of files and folders, and what a program says of itself reach terminals,
logs of CI, spreadsheets and pages. None of them may steer a terminal, run backwards, begin a workflow
command, be taken for a formula or for markup.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["code", "escaped", "inert", "json_text", "plain", "plain_lines"]

_UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Control characters, marks of line and direction, what has no width, and what is no Unicode."""

_WORKFLOW_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)")
"""GitHub takes a line that begins with `::` for a command, and the older `##[` anywhere in one.

https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
"""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of one."""

_MARKUP = "\\`*_{}[]<>|#!"


def plain(text: str) -> str:
    """One line that neither steers a terminal nor ends early nor runs backwards nor commands a workflow.

    What must not be printed becomes U+FFFD; what begins a command gets a space in its midst.
    """
    return _WORKFLOW_COMMAND.sub(_parted, _UNPRINTABLE.sub("\ufffd", text))


def plain_lines(text: str) -> str:
    """The same for text of several lines, each of which ends with a line feed."""
    return "\n".join(plain(line) for line in text.split("\n"))


def inert(value: object) -> object:
    """A cell of CSV that no spreadsheet runs."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def json_text(document: Any, *, indent: int | None = None) -> str:
    """A document as JSON, ASCII; what it says is unchanged, however it is spelled."""
    # Within a string, where alone it can stand.
    return json.dumps(document, indent=indent).replace("##[", "#\\u0023[") + "\n"


def code(text: str) -> str:
    """Inline code of Markdown; a bar would end a table's cell, a backtick the code."""
    return f"`{text.replace('|', '/').replace('`', '')}`" if text else ""


def escaped(text: str) -> str:
    """Text that Markdown must not take for markup."""
    return "".join(f"\\{mark}" if mark in _MARKUP else mark for mark in text)


def _parted(found: re.Match[str]) -> str:
    return "# #" if found[0] == "##" else f"{found[1]}: "
