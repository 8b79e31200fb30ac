"""What a trace tells on the way through its bytes: where it is from, what it lacks, its digest."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from tbprof.records import dataclass
from tbprof.trace.export.published_trace import verify
from tbprof.trace.importers.kineto.events.batch import SPACE
from tbprof.trace.importers.kineto.reader import CHUNK_BYTES
from tbprof.trace.importers.source import open_source

_OVERLAP_BYTES = 4096
"""Kept of the piece before: what is looked for may begin there."""

_HEAD_MARKS = {
    "rank": re.compile(rb'"distributedInfo"\s*:\s*\{[^}]{0,3000}?"rank"\s*:\s*(\d{1,9})\b'),
    "base_ns": re.compile(rb'"baseTimeNanoseconds"\s*:\s*(\d{1,19})\b'),
    "micros": re.compile(rb'"ph"\s*:\s*"X".{0,3000}?"ts"\s*:\s*"?(\d{1,16}(?:\.\d{1,9})?)', re.DOTALL),
}
_PARTS = {
    "steps": re.compile(rb'"(?:ProfilerStep#|tbprof\.step#)'),
    "device rows": re.compile(rb'"cat"\s*:\s*"(?:[Kk]ernel|gpu_memcpy|gpu_memset|Memcpy|Memset)"'),
    "operators": re.compile(rb'"cat"\s*:\s*"(?:cpu_op|Operator)"'),
    "shapes": re.compile(rb'"Input [Dd]ims"'),
    "Python stacks": re.compile(rb'"(?:python_function|Call stack)"', re.IGNORECASE),
    "synchronization rows": re.compile(rb'"cat"\s*:\s*"cuda_sync"'),
}


@dataclass(frozen=True, slots=True)
class Inspection:
    rank: int | None
    start_ns: int
    """Where the first slice of the file begins; 0 where it tells no time."""
    lacks: tuple[str, ...]
    """Parts of a good recording that it has nothing of."""
    num_bytes: int
    """Unpacked."""
    digest: str
    """The digest of these bytes."""


def inspect_trace(path: str | os.PathLike[str]) -> Inspection:
    """Go through a trace of torch's profiler, in bounded memory.

    Raises:
        TraceError: It is not whole, or can't be read.
    """
    verify(path)
    digest, num_bytes = hashlib.sha256(), 0
    found: dict[str, bytes] = {}
    lacking = dict(_PARTS)
    kept = b""
    for piece in _pieces(path):
        digest.update(piece)
        num_bytes += len(piece)
        text = kept + piece
        _search(text, found, lacking)
        kept = text[-_OVERLAP_BYTES:]
    rank = found.get("rank")
    return Inspection(
        rank=None if rank is None else int(rank),
        start_ns=_start_ns(found),
        lacks=tuple(lacking),
        num_bytes=num_bytes,
        digest=digest.hexdigest(),
    )


def digest_of(path: str | os.PathLike[str]) -> str:
    """The digest of a file's bytes, unpacked.

    Raises:
        TraceError: It can't be read.
    """
    digest = hashlib.sha256()
    for piece in _pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def _pieces(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The bytes of a file as they are published: without what stands before its first bracket."""
    with open_source(path) as source:
        buffer = memoryview(bytearray(CHUNK_BYTES))
        count = source.readinto(buffer)
        yield bytes(buffer[:count]).removeprefix(b"\xef\xbb\xbf").lstrip(SPACE)
        while count := source.readinto(buffer):
            yield bytes(buffer[:count])


def _search(text: bytes, found: dict[str, bytes], lacking: dict[str, re.Pattern[bytes]]) -> None:
    for name, mark in _HEAD_MARKS.items():
        if name not in found and (match := mark.search(text)) is not None:
            found[name] = match[1]
    for name in [name for name, mark in lacking.items() if mark.search(text)]:
        del lacking[name]


def _start_ns(found: Mapping[str, bytes]) -> int:
    micros = found.get("micros")
    return 0 if micros is None else int(found.get("base_ns", b"0")) + int(Decimal(micros.decode()) * 1000)
