"""The files that are traces, by their names and first bytes: nothing that reads one is imported."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

from tbprof.safe_open import open_regular
from tbprof.trace.importers.importer import Importer
from tbprof.trace.importers.importer_list import CONVERTERS, IMPORTERS

if TYPE_CHECKING:
    from tbprof.trace.importers.converter import Converter

TRACE_SUFFIXES = tuple(suffix for importer in IMPORTERS for suffix in importer.SUFFIXES)
"""What a file must end in to be looked at as a trace beneath a log directory."""

_HEAD_BYTES = 64 * 1024
_GZIP_MAGIC = b"\x1f\x8b"


def looks_like_trace(path: str | os.PathLike[str]) -> bool:
    """Whether the file at `path` begins as a trace does, plain or gzip by its content.

    Reads at most 64 KB and unpacks at most 64 KB. False for what can't be read.
    """
    return importer_of(path) is not None


def claims_to_be_trace(name: str) -> bool:
    """Whether a file's name says that it is a trace, whatever it holds."""
    return any(claim in name for importer in IMPORTERS for claim in importer.CLAIMS)


def importer_of(path: str | os.PathLike[str]) -> Importer | None:
    """The first that knows the file; None for what none knows, or can't be read."""
    try:
        with open_regular(path) as file:
            head = _unpacked(file.read(_HEAD_BYTES))
    except (OSError, ValueError, zlib.error):
        return None
    return next((importer for importer in IMPORTERS if importer.sniff(head)), None)


def converter_of(path: str | os.PathLike[str]) -> Converter | None:
    """Who writes the file as Kineto's traces; None where torch's profiler wrote it, or nobody knows it."""
    importer = importer_of(path)
    return next((converter for converter in CONVERTERS if converter is importer), None)


def is_of_torch(path: str | os.PathLike[str]) -> bool:
    """Whether torch's profiler wrote the file; also of what none knows: its reader says what is wrong."""
    return importer_of(path) in (None, IMPORTERS[0])


def _unpacked(head: bytes) -> bytes:
    if not head.startswith(_GZIP_MAGIC):
        return head
    return zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
