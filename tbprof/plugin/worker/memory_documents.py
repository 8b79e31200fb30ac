"""A file that tells of memory, read as anybody may have written it: bounded, and nothing of it is run."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from pathlib import Path

from tbprof.errors import Gone, SnapshotError, UsageError
from tbprof.safe_open import open_regular
from tbprof.snapshot import snapshot_in
from tbprof.store.memory_files import (
    MEMORY_STEP_FILE,
    OUT_OF_MEMORY_FILE,
    MemoryFileKind,
    kind_of_memory_file,
)
from tbprof.views.memory_documents import memory_step_document, out_of_memory_document, snapshot_document
from tbprof.views.memory_files import MemoryDocument

_MOST_BYTES = 32 * 1024 * 1024
"""The most bytes of a snapshot: reading so many takes some ten seconds; the command line takes all."""


def memory_document(path: str) -> MemoryDocument:
    """What the page shows of it, or why it can't.

    Errors call it by its name, as the server's folders are nobody's business.

    Raises:
        Gone: It is not there any more.
    """
    try:
        return _read(path)
    except (SnapshotError, UsageError) as error:
        return MemoryDocument(f"It can't be shown: {error}.", None, ())


def _read(path: str) -> MemoryDocument:
    name = Path(path).name
    kind = kind_of_memory_file(name)
    if kind is None:
        raise Gone(f"{name} is not a memory file")
    try:
        with io.BufferedReader(open_regular(path)) as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise Gone(f"{name} is gone or can't be read") from error
    if len(content) > _MOST_BYTES:
        raise UsageError(
            f"{name} has more than {_MOST_BYTES >> 20} MiB, which is too much for the tab:"
            f" read it with tbprof report {name}"
        )
    return _DOCUMENTS[kind](content, name)


_DOCUMENTS: Mapping[MemoryFileKind, Callable[[bytes, str], MemoryDocument]] = {
    "out_of_memory": lambda content, name: out_of_memory_document(OUT_OF_MEMORY_FILE.parsed(content, name)),
    "memory_step": lambda content, name: memory_step_document(MEMORY_STEP_FILE.parsed(content, name)),
    "snapshot": lambda content, name: snapshot_document(snapshot_in(content, name)),
}
