"""Damage to the text of JSON that is undone without knowing what the text means.

Each has been met in real traces: raw control characters in names, bytes that are no
UTF-8, backslashes of Windows paths, halves of surrogate pairs, `NaN` from C++.
"""

from __future__ import annotations

import re

_BLANKS = bytes(byte if byte >= 0x20 else 0x20 for byte in range(256))
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb'|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]|(?P<stray>\\)'
)
_NO_NUMBER = re.compile(rb"(?<=[:\[,])(\s{0,200})-?(?:NaN|nan|Infinity|inf)(?=\s{0,200}[,}\]])")
_NO_NUMBER_WORDS = (b"NaN", b"nan", b"Infinity", b"inf")
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)
_EVENT_DEPTH = 2


def repair_text(json: bytes) -> bytes:
    """The same JSON with control characters, encoding, escapes and non-numbers made valid.

    Every byte below 0x20 becomes a space: outside of strings it was white space anyway.
    A non-number becomes null.
    """
    text = json.translate(_BLANKS)
    if not text.isascii():
        text = text.decode("utf-8", "replace").encode()
    # Looking for words is ten times as fast as the expression that replaces it.
    if b"\\" in text:
        text = _ESCAPE.sub(_valid_escape, text)
    if any(word in text for word in _NO_NUMBER_WORDS):
        text = _NO_NUMBER.sub(rb"\1null", text)
    return text


def _valid_escape(match: re.Match[bytes]) -> bytes:
    if match["half"]:
        return rb"\ufffd"
    return rb"\\" if match["stray"] else match[0]


def object_end(json: bytes, start: int, limit: int) -> int | None:
    """Index behind the object that opens at `start`, None where it does not close before `limit`."""
    depth = 0
    for token in _TOKEN.finditer(json, start, limit):
        first = json[token.start()]
        if first in b"{[":
            depth += 1
        elif first in b"]}":
            depth -= 1
            if depth == 0:
                return token.end()
    return None


def shorten_nesting(json: bytes) -> bytes:
    """The same event with everything deeper than its arguments replaced by null.

    Decoders recurse, so an event that nests thousands of levels deep would be lost.
    """
    kept: list[bytes] = []
    depth, copied = 0, 0
    for token in _TOKEN.finditer(json):
        first = json[token.start()]
        if first in b"{[":
            depth += 1
            if depth == _EVENT_DEPTH + 1:
                kept.append(json[copied : token.start()])
        elif first in b"]}":
            depth -= 1
            if depth == _EVENT_DEPTH:
                kept.append(b"null")
                copied = token.end()
    return b"".join(kept) + json[copied:]
