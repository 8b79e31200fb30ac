"""A chunk that is no valid JSON, event by event: what is whole is kept, the rest is counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import msgspec

from tbprof.trace.boundaries import LOOSE_START, SPACE, events_follow
from tbprof.trace.events import EVENT_KEYS, Event, event_list_decoder
from tbprof.trace.lenient import Loss, decode_leniently
from tbprof.trace.repair import object_end, repair_text, shorten_nesting

__all__ = ["UNDECODABLE", "Salvage", "salvage"]

UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What decoding damaged JSON raises."""

_DECODER = event_list_decoder(Decimal)
_NOT_AN_END = "|".join(EVENT_KEYS).encode()
_ARRAY_END = re.compile(
    rb"[\s,]*(\])(?=\s{0,200}(?:,\s{0,200}\"(?!(?:" + _NOT_AN_END + rb')"\s{0,200}:)|\}|\Z))'
)
_ITEM = re.compile(
    rb'[\s,]*(?:null|true|false|-?\d[\d.eE+-]*|"[^"\\]*(?:\\.[^"\\]*)*")(?=\s*(?:[,\]]|\Z))', re.DOTALL
)
"""An element of the array that is no event."""
_JOINED_PIECES = 4
"""How many more pieces an event may reach over: objects inside it can look like events."""
_REPAIRS = (bytes, repair_text, lambda event: shorten_nesting(repair_text(event)))


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


def salvage(json: bytes, *, last: bool) -> Salvage:
    """Keep every whole event of `json`; `last` if no bytes follow."""
    found = Salvage()
    starts = [match.start() for match in LOOSE_START.finditer(json)]
    found.used_bytes = _pass(json, 0, starts[0] if starts else len(json), found)
    if found.ended:
        return found
    limits = [*starts[1:], *[len(json)] * (_JOINED_PIECES + 1)]
    done = found.used_bytes
    for index, start in enumerate(starts):
        if start < done:
            continue
        done = _salvage_one(json, start, limits[index : index + _JOINED_PIECES + 1], found, last=last)
        if found.ended or done == start:
            break
    found.used_bytes = done
    return found


def _salvage_one(json: bytes, start: int, limits: list[int], found: Salvage, *, last: bool) -> int:
    """Take the event at `start`; how far it is done with, `start` itself to see more bytes first."""
    if _keep(json[start : limits[0]].rstrip(SPACE + b","), found, (bytes,)):
        return limits[0]
    end = object_end(json, start, limits[-1])
    if end is None and limits[0] == len(json) and not last:
        return start
    if end is None or not _keep(json[start:end], found, _REPAIRS):
        found.lost["damaged"] += 1
        return limits[0]
    limit = min((limit for limit in limits if limit >= end), default=len(json))
    return _pass(json, end, limit, found)


def _pass(json: bytes, start: int, limit: int, found: Salvage) -> int:
    """Count what stands between two events; where the next one may be, or where the array ends."""
    while item := _ITEM.match(json, start, limit):
        found.lost["not_an_object"] += 1
        start = item.end()
    closing = _ARRAY_END.match(json, start, limit)
    if closing and not events_follow(json, closing.end()):
        found.ended = True
        return closing.start(1)
    found.lost["damaged"] += bool(json[start:limit].strip(SPACE + b",[]"))
    return limit


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
        events = _DECODER.decode(b"[%b]" % event)
    except UNDECODABLE:
        pass
    else:
        return events[0] if len(events) == 1 else None
    try:
        return decode_leniently(event)
    except UNDECODABLE:
        return None
