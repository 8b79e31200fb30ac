"""Text that others wrote, in a form that does nothing where it is printed: the only place that decides how.

Names in traces and reports, names of files and folders, and what a program says of itself reach terminals,
logs of CI, spreadsheets and pages. None of them may steer a terminal, run backwards, begin a workflow
command, be taken for a formula or for markup, or look like another name because a part of it can't be seen.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

_ARABIC = "\u0620-\u064a\u066e-\u06d3"
_PICTURE = "\u2600-\u27bf\U0001f000-\U0001faff"

_NO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U00013430-\U0001343f\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""What Unicode calls ignorable by default, with the marks of line and direction and the blank of Braille."""

_HIDDEN = re.compile(
    # How Persian is written, and what makes one picture of two or colors one: seen by what they do.
    f"(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])"
    f"|(?<=[{_PICTURE}])\u200d(?=[{_PICTURE}])|(?<=[{_PICTURE}]\ufe0f)\u200d(?=[{_PICTURE}])"
    "|(?<=[\u2600-\u27bf])\ufe0f"
    f"|([\x00-\x1f\x7f-\x9f\ud800-\udfff{_NO_WIDTH}]|\\\\(?=u\\{{))"
)
"""In the group what is not to be seen, or no Unicode; and what would be taken for how that is written."""

_WORKFLOW_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[)")
"""GitHub takes a line that begins with `::` for a command, and the older `##[` anywhere in one.

https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
"""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of one."""

_MARKUP = re.compile(
    # Mentions, issues and addresses of mail are looked for in what was rendered, but not in its code.
    r"(?P<mention>@(?=[^\W_])|(?<!\w)#(?=\d))"
    r"|[\\`*\[\]<>|~$]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])"
    # An address becomes a link by itself.
    r"|:(?=//)|(?<=\bwww)\.|(?<=\bmailto):|(?<=\bxmpp):",
    re.IGNORECASE,
)

_BLOCK = re.compile(r"^(\d{0,9})([-+=#]|(?<=\d)[.)](?=\s|$))")
"""At the start of a line what begins a list, or makes a heading of the line before it."""

_CODE = re.compile(r"`([^`]+)`")


def plain(text: str) -> str:
    r"""One line that neither steers a terminal nor ends early nor runs backwards nor commands a workflow.

    What can't be seen is written as `\u{200b}`; what begins a command gets a space in its midst.
    """
    return _WORKFLOW_COMMAND.sub(_parted, _seen(text))


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


def markup(text: str) -> str:
    """Text between two tags of HTML, ASCII: nothing to a terminal, nor to the log of a workflow."""
    safe = html.escape(_seen(text)).replace("##[", "#&#35;[")
    return safe.encode("ascii", "xmlcharrefreplace").decode()


def code(text: str) -> str:
    """Inline code of Markdown; a bar would end a table's cell, a backtick the code."""
    shown = plain(text).replace("|", "/").replace("`", "\u02cb").strip()
    return f"`{shown}`" if shown else ""


def escaped(text: str) -> str:
    """Text that Markdown must take neither for markup nor for a link, a mention or a list."""
    return _BLOCK.sub(r"\1\\\2", _MARKUP.sub(_literal, plain(text.strip())))


def prose(text: str) -> str:
    """A sentence as Markdown: what stands in it between backticks is code, the rest is text."""
    parts = _CODE.split(text.strip())
    shown = (code(part) if at % 2 else _MARKUP.sub(_literal, plain(part)) for at, part in enumerate(parts))
    return _BLOCK.sub(r"\1\\\2", "".join(shown))


def _literal(found: re.Match[str]) -> str:
    return f"`{found[0]}`" if found["mention"] else f"\\{found[0]}"


def _seen(text: str) -> str:
    return _HIDDEN.sub(lambda found: found[0] if found[1] is None else f"\\u{{{ord(found[1]):x}}}", text)


def _parted(found: re.Match[str]) -> str:
    return "# #" if found[0] == "##" else f"{found[1]}: "
