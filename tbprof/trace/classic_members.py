"""What a classic copy says about itself, before its events."""

from __future__ import annotations

from typing import Any

import msgspec

from tbprof.trace.classic_mark import MARK
from tbprof.trace.classic_times import ClassicClock
from tbprof.trace.columns import Trace
from tbprof.trace.repair import repair_text
from tbprof.trace.salvage import UNDECODABLE

__all__ = ["classic_members"]

_VERSION = 1
_BASE_TIME = "baseTimeNanoseconds"


def classic_members(head: bytes, trace: Trace, clock: ClassicClock) -> bytes:
    """The members as a JSON object, the mark first.

    Args:
        head: what stands before the array of events; what stands behind it is of no use to
            the plugin, except the rank, which the trace knows.
        trace: the columns of the same file.
        clock: that of the copy.
    """
    members: dict[str, Any] = {MARK: _VERSION, **_members_of(head)}
    members.pop("tbprof", None)
    members.pop("traceEvents", None)
    devices = members.get("deviceProperties")
    if not isinstance(devices, list) or not all(isinstance(device, dict) for device in devices):
        members.pop("deviceProperties", None)
    if trace.rank is not None:
        members.setdefault("distributedInfo", {"rank": trace.rank, "world_size": trace.world_size})
    members[_BASE_TIME] = trace.origin_ns + clock.zero_ns
    return msgspec.json.encode(members)


def _members_of(head: bytes) -> dict[str, Any]:
    for text in (head + b"null}", repair_text(head) + b"null}"):
        try:
            found = msgspec.json.decode(text)
        except UNDECODABLE:
            continue
        if isinstance(found, dict):
            return found
    return {}
