"""Text of a trace or a file name as a terminal may show it."""

from __future__ import annotations

import re

__all__ = ["plain"]

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """One line that neither steers a terminal nor ends early nor runs backwards.

    Control characters, marks of line and direction, and what is no Unicode become U+FFFD.
    """
    return _UNPRINTABLE.sub("\ufffd", text)
