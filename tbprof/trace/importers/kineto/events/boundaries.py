"""Where one event ends and the next begins, in bytes that are not parsed yet.

Kineto separates events by `},` and `{` with white space that differs by era and by the
tool that wrote the file again, and is the same all through one file. So the white space
is learned once, and the last boundary of a buffer is one search from its end.
"""

from __future__ import annotations

import re

from tbprof.records import dataclass
from tbprof.trace.importers.kineto.events.events import EVENT_KEYS

SPACE = b" \t\r\n"
_KEY = rb'\{\s{0,200}"(?:' + "|".join(EVENT_KEYS).encode() + rb')"\s{0,200}:'

ARRAY_START = re.compile(rb'(?<!\\)"traceEvents"\s{0,200}:\s{0,200}\[')
EVENT_START = re.compile(rb"[\[,]\s{0,200}(" + _KEY + rb")")
"""Group 1 is the event's first bytes; an object inside an event may match as well."""
ARRAY_END = re.compile(rb'\}(\s{0,200},?\s{0,200}\])(?=\s{0,200}(?:,\s{0,200}"|\}|\Z))')
"""Group 1 is what follows the last event; the end of an array inside an event may match as well."""

LOOSE_START = re.compile(rb"(?<!:)(?<!: )" + _KEY)
"""The same without what stands before it: where bytes were lost, the comma may be gone."""
FIRST_EVENT = re.compile(rb'(?=\{\s{0,200}"ph"\s{0,200}:)')
"""Where an event begins as Kineto writes it; for files whose key of the array is damaged."""

_BOUNDARY = re.compile(rb"\}\s{0,200}(,)\s{0,200}" + _KEY)
_INDENT_BYTES = 64


@dataclass(frozen=True, slots=True)
class Boundary:
    """The bytes between two events of one file, with enough context to be found again."""

    separator: bytes
    comma: int
    """Offset of the comma in `separator`."""

    def last(self, buffer: bytearray, start: int, end: int) -> int | None:
        """Index of the comma behind the last complete event in `buffer[start:end]`."""
        found = buffer.rfind(self.separator, start, end)
        return None if found < 0 else found + self.comma


def events_follow(json: bytes, start: int) -> bool:
    """Whether events stand behind `start`: then what looks like the end of the array is damage."""
    return FIRST_EVENT.search(json, start) is not None


def learn_boundary(buffer: bytearray, start: int, end: int) -> Boundary | None:
    """The boundary that `buffer[start:end]` shows first, None without one.

    With line breaks the indent alone tells events from objects inside them. Without,
    the first key of the next event is kept as well.
    """
    match = _BOUNDARY.search(buffer, start, end)
    if match is None:
        return None
    before = bytes(buffer[max(start, match.start() - _INDENT_BYTES) : match.start()])
    indent = before[len(before.rstrip(SPACE)) :]
    separator = indent + match.group()
    if b"\n" in separator:
        separator = separator[: separator.rindex(b"{") + 1]
    return Boundary(separator, len(indent) + match.start(1) - match.start())
