"""The mark that sets a classic copy apart from a trace that was recorded."""

from __future__ import annotations

import os
import zlib

from tbprof.safe_open import open_regular

MARK = "tbprof_classic"
"""The first member of a classic copy's object; its value is the version of what is written there."""

_HEAD_BYTES = 256


def is_classic_copy(path: str | os.PathLike[str]) -> bool:
    """Whether the gzip file at `path` is a copy in the classic dialect.

    Reads and unpacks a few bytes. False for what can't be read.
    """
    try:
        with open_regular(path) as file:
            head = zlib.decompressobj(wbits=31).decompress(file.read(_HEAD_BYTES), _HEAD_BYTES)
    except (OSError, ValueError, zlib.error):
        return False
    return head.startswith(b'{"%b"' % MARK.encode())
