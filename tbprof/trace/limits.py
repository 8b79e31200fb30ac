"""How much a trace file may unpack to: a small file can unpack to anything."""

from __future__ import annotations

import os

from tbprof.errors import UsageError

__all__ = ["DEFAULT_MAX_BYTES", "MAX_BYTES_VARIABLE", "max_trace_bytes"]

DEFAULT_MAX_BYTES = 16 * 1024**3
MAX_BYTES_VARIABLE = "TBPROF_MAX_TRACE_BYTES"


def max_trace_bytes() -> int:
    """What the environment variable says, else 16 GiB.

    Raises:
        UsageError: it is set and holds no whole number above 0.
    """
    chosen = os.environ.get(MAX_BYTES_VARIABLE)
    if not chosen:
        return DEFAULT_MAX_BYTES
    try:
        limit = int(chosen)
    except ValueError:
        limit = 0
    if limit <= 0:
        raise UsageError(f"{MAX_BYTES_VARIABLE} is {chosen!r}: set it to a number of bytes, or not at all")
    return limit
