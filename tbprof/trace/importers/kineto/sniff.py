"""Whether a file found by chance is a trace, told by its first bytes alone."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

from tbprof.trace.importers.kineto.events.boundaries import ARRAY_START, EVENT_START, SPACE

__all__ = ["looks_like_trace"]

_HEAD_BYTES = 64 * 1024
_BOM = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"
_PHASE = re.compile(rb'"ph"\s{0,200}:')
_PUBLISHED = b'{"tbprof":'
"""How a trace begins that tbprof published: the hook's facts, with source text, may be longer than a head."""

_KINETO_KEYS = (b'"deviceProperties"', b'"baseTimeNanoseconds"', b'"distributedInfo"', b'"record_shapes"')


def looks_like_trace(path: str | os.PathLike[str]) -> bool:
    """Whether the file at `path` begins as a Kineto trace does, plain or gzip by its content.

    Reads at most 64 KB and unpacks at most 64 KB. False for what can't be read.
    """
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb", buffering=0) as file:
            head = _unpacked(file.read(_HEAD_BYTES))
    except (OSError, ValueError, zlib.error):
        return False
    head = head.removeprefix(_BOM).lstrip(SPACE)
    if head.startswith(b"["):
        return EVENT_START.match(head) is not None and _PHASE.search(head) is not None
    if not head.startswith(b"{"):
        return False
    if head.startswith(_PUBLISHED):
        return True
    # Some heads list every process group of a job and reach the events late.
    known = b'"schemaVersion"' in head and any(key in head for key in _KINETO_KEYS)
    return known or ARRAY_START.search(head) is not None


def _unpacked(head: bytes) -> bytes:
    if not head.startswith(_GZIP_MAGIC):
        return head
    return zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
