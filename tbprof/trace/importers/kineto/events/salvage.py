"""A chunk that is no valid JSON, event by event: what is whole is kept, the rest is counted.

Damage to the text of JSON that is undone without knowing what the text means.

Each has been met in real traces: raw control characters in names, bytes that are no
UTF-8, backslashes of Windows paths, halves of surrogate pairs, `NaN` from C++.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

import msgspec

from tbprof.trace.columns.tables import ALL_TABLES
from tbprof.trace.importers.kineto.events.batch import LOOSE_START, SPACE, events_follow
from tbprof.trace.importers.kineto.events.event_args import fields_for
from tbprof.trace.importers.kineto.events.events import EVENT_KEYS, Event, event_list_decoder
from tbprof.trace.importers.kineto.events.lenient import Loss, decode_leniently

UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding damaged JSON raises."""

_NOT_AN_END = "|".join(EVENT_KEYS).encode()
_ARRAY_END = re.compile(
    rb"[\s,]*(\])(?=\s{0,200}(?:,\s{0,200}\"(?!(?:" + _NOT_AN_END + rb')"\s{0,200}:)|\}|\Z))'
)
_ITEM = re.compile(
    rb'[\s,]*(?:null|true|false|-?\d[\d.eE+-]*|"[^"\\]*(?:\\.[^"\\]*)*")(?=\s*(?:[,\]]|\Z))', re.DOTALL
)
"""An element of the array that is no event."""
_PATIENCE = 2
"""How often a chunk may be searched for the ends of broken events, so that time stays linear."""


@dataclass(slots=True)
class Salvage:
    """What one chunk gave. Times are Decimals."""

    events: list[Event] = field(default_factory=list)
    lost: Counter[Loss] = field(default_factory=Counter)
    repaired: int = 0
    """Events whose text had to be changed."""
    used_bytes: int = 0
    """How far the chunk is done with; the rest may be the front of an event."""
    ended: bool = False
    """Whether the array closes at `used_bytes`."""


@cache
def _decoder() -> msgspec.json.Decoder[list[Event]]:
    """Made for the first damaged file: it takes as long as ten modules to import."""
    return event_list_decoder(Decimal, fields_for(ALL_TABLES), has_memory=True)


def salvage(json: bytes, *, last: bool) -> Salvage:
    """Keep every whole event of `json`; `last` if no bytes follow."""
    return _Pass(json, last=last).run()


class _Pass:
    """One way through a chunk, from event to event."""

    def __init__(self, json: bytes, *, last: bool) -> None:
        self._json = json
        self._last = last
        self._starts = [match.start() for match in LOOSE_START.finditer(json)]
        self._patience_bytes = _PATIENCE * len(json)
        self._found = Salvage()

    def run(self) -> Salvage:
        done = self._pass_over(0)
        for start in self._starts:
            if self._found.ended or start < done:
                continue
            next_start = self._take(start)
            if next_start == start:
                break
            done = next_start
        self._found.used_bytes = done
        return self._found

    def _take(self, start: int) -> int:
        """Take the event at `start`; how far it is done with, `start` itself to see more bytes first."""
        following = self._next_start(start + 1)
        if _keep(self._json[start:following].rstrip(SPACE + b","), self._found, (bytes,)):
            return following
        # Objects inside an event can look like events, so it may reach over the next start.
        limit = len(self._json) if self._patience_bytes > 0 else following
        end = object_end(self._json, start, limit)
        if end is None and self._may_go_on(start, following):
            return start
        if end is None or not _keep(self._json[start:end], self._found, _repairs(end <= following)):
            self._patience_bytes -= limit - start
            self._found.lost["damaged"] += 1
            return following
        return self._pass_over(end)

    def _may_go_on(self, start: int, following: int) -> bool:
        """Whether the event at `start` is worth waiting for: more bytes come, and it is near the end."""
        near_end = following == len(self._json) or 2 * start > len(self._json)
        return near_end and not self._last

    def _next_start(self, at: int) -> int:
        index = bisect_left(self._starts, at)
        return self._starts[index] if index < len(self._starts) else len(self._json)

    def _pass_over(self, start: int) -> int:
        """Count what stands between two events; where the next one may be, or where the array ends."""
        limit = self._next_start(start)
        while item := _ITEM.match(self._json, start, limit):
            self._found.lost["not_an_object"] += 1
            start = item.end()
        closing = _ARRAY_END.match(self._json, start, limit)
        if closing and not events_follow(self._json, closing.end()):
            self._found.ended = True
            return closing.start(1)
        self._found.lost["damaged"] += bool(self._json[start:limit].strip(SPACE + b",[]"))
        return limit


def _repairs(one_piece: bool) -> tuple[Callable[[bytes], bytes], ...]:
    if not one_piece:
        # Shortened, an event that lost a bracket would swallow all those up to the next one.
        return (bytes, repair_text)
    return (bytes, repair_text, lambda event: shorten_nesting(repair_text(event)))


def _keep(event: bytes, found: Salvage, repairs: Sequence[Callable[[bytes], bytes]]) -> bool:
    """Whether the event's text could be decoded after one of `repairs`; if so it is kept or counted."""
    for attempt, repair in enumerate(repairs):
        kept = _decode(repair(event))
        if kept is None or kept == "damaged":
            continue
        if isinstance(kept, str):
            found.lost[kept] += 1
        else:
            found.events.append(kept)
            found.repaired += attempt > 0
        return True
    return False


def _decode(event: bytes) -> Event | Loss | None:
    try:
        events = _decoder().decode(b"[%b]" % event)
    except UNDECODABLE:
        pass
    else:
        return events[0] if len(events) == 1 else None
    try:
        return decode_leniently(event)
    except UNDECODABLE:
        return None


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
    """Index after the object that opens at `start`, None where it does not close before `limit`."""
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
