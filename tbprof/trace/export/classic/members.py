"""What a classic copy says about itself, before its events."""

from __future__ import annotations

from typing import Any

import msgspec

from tbprof.trace.columns.columns import Trace
from tbprof.trace.export.classic.mark import MARK
from tbprof.trace.export.classic.times import ClassicClock
from tbprof.trace.importers.files.source import open_source
from tbprof.trace.importers.kineto.events.chunks import EventStream
from tbprof.trace.importers.kineto.events.decode import Decoder
from tbprof.trace.importers.kineto.events.repair import repair_text
from tbprof.trace.importers.kineto.events.salvage import UNDECODABLE
from tbprof.trace.importers.kineto.reader import CHUNK_BYTES

_VERSION = 1
_BASE_TIME = "baseTimeNanoseconds"


def classic_members(path: str, trace: Trace, clock: ClassicClock) -> bytes:
    """The members as a JSON object, the mark first.

    Args:
        path: the file that is copied.
        trace: its columns.
        clock: that of the copy.

    Raises:
        TraceError: the file gives nothing any more.
    """
    members: dict[str, Any] = {MARK: _VERSION, **_members_of_file(path)}
    members.pop("tbprof", None)
    members.pop("traceEvents", None)
    devices = members.get("deviceProperties")
    if not isinstance(devices, list) or not all(isinstance(device, dict) for device in devices):
        members.pop("deviceProperties", None)
    if trace.rank is not None:
        members.setdefault("distributedInfo", {"rank": trace.rank, "world_size": trace.world_size})
    members[_BASE_TIME] = trace.origin_ns + clock.zero_ns
    return msgspec.json.encode(members)


def _members_of_file(path: str) -> dict[str, Any]:
    """Kineto writes what the plugin needs before the events; other tools that write its files, behind."""
    with open_source(path) as source:
        stream = EventStream(source, CHUNK_BYTES)
        members = _members_of(stream.head + b"null}")
        if "deviceProperties" in members:
            return members
        for _ in Decoder().batches(stream):
            pass
        tail = stream.read_tail().lstrip(b"] \t\r\n,")
        return members | _members_of(b"{" + tail)


def _members_of(json: bytes) -> dict[str, Any]:
    for repair in (bytes, repair_text):
        try:
            found = msgspec.json.decode(repair(json))
        except UNDECODABLE:
            continue
        if isinstance(found, dict):
            return found
    return {}
