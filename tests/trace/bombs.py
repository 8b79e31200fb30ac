"""Small files that unpack to giants."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

MB = 1024 * 1024
OPEN = b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "first", "ts": 1, "dur": 1},'

BOMBS = {
    # name: before, what is repeated
    "spaces before the events": (b'{"traceEvents": [', b" "),
    "one string before the events": (b'{"a": "', b"a"),
    "one string in an event": (OPEN + b'{"ph": "X", "name": "', b"a"),
    "commas": (OPEN, b","),
    "nesting": (OPEN, b"["),
    "fronts of events": (OPEN, b'{"ph":'),
    "a string behind the events": (OPEN[:-1] + b'], "a": "', b"a"),
    "spaces alone": (b"", b" "),
    "events without a time": (OPEN, b'{"ph":"X"},'),
}


def pieces(before: bytes, repeated: bytes, size_mb: int) -> Iterator[bytes]:
    yield before
    for _ in range(size_mb):
        yield repeated * (MB // len(repeated))


def pack(pieces: Iterator[bytes], path: Path) -> Path:
    """Write the pieces to `path`, packed."""
    with gzip.open(path, "wb", 1) as file:
        file.writelines(pieces)
    return path
