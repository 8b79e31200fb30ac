"""How much a trace file may unpack to: a small file can unpack to anything."""

from __future__ import annotations

import os

from tbprof.errors import UsageError

MOST_MAX_BYTES = 16 * 1024**3
LEAST_MAX_BYTES = 128 * 1024**2
DENSEST = 100
"""Real traces unpack to 13 to 20 times their size, what was made to harm to up to a thousand times."""
MAX_BYTES_VARIABLE = "TBPROF_MAX_TRACE_BYTES"


def max_trace_bytes(packed_bytes: int) -> int:
    """What a file of `packed_bytes` may unpack to.

    That is what the environment variable says, else 100 times the file's size, but not less than
    128 MiB and not more than 16 GiB.

    Raises:
        UsageError: it is set and holds no whole number above 0.
    """
    chosen = os.environ.get(MAX_BYTES_VARIABLE)
    if not chosen:
        return min(max(DENSEST * packed_bytes, LEAST_MAX_BYTES), MOST_MAX_BYTES)
    try:
        limit = int(chosen)
    except ValueError:
        limit = 0
    if limit <= 0:
        raise UsageError(f"{MAX_BYTES_VARIABLE} is {chosen!r}: set it to a number of bytes, or not at all")
    return limit
