"""Whether a file is a Kineto trace, by its first bytes alone."""

from __future__ import annotations

import re

from tbprof.trace.importers.kineto.events.batch import ARRAY_START, EVENT_START, SPACE

_BOM = b"\xef\xbb\xbf"
_PHASE = re.compile(rb'"ph"\s{0,200}:')
_PUBLISHED = b'{"tbprof":'
"""How a trace begins that tbprof published: the hook's facts, with source text, may be longer than a head."""

_KINETO_KEYS = (b'"deviceProperties"', b'"baseTimeNanoseconds"', b'"distributedInfo"', b'"record_shapes"')


def sniff(head: bytes) -> bool:
    """Whether `head` begins as a Kineto trace does."""
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
