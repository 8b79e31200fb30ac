"""A large trace, read by several processes at once, since one interpreter decodes on one core only."""

from __future__ import annotations

import os
import pickle
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO, cast

from tbprof.process.isolated import start_python
from tbprof.process.memory_limit import cores
from tbprof.safe_open import file_state, status_of_regular
from tbprof.trace.columns.columns import Trace
from tbprof.trace.columns.tables import NO_TABLES, Tables
from tbprof.trace.importers.kineto.events.decode import Losses
from tbprof.trace.importers.kineto.events.metadata import read_metadata
from tbprof.trace.importers.kineto.file_slice import FileSlice, NotWhole, Piece, read_slice
from tbprof.trace.importers.kineto.health import Reading
from tbprof.trace.importers.kineto.reader import read_trace, trace_of
from tbprof.trace.importers.kineto.rows import join_rows
from tbprof.trace.importers.source import shown_path

WORTH_SHARING_BYTES = 8 * 1000**2
"""The size of a packed file, some 130 MB of JSON, below which the start of a process costs what it saves."""
MAX_PROCESSES = 4
"""More would each unpack most of the file to decode little of it, and leave nothing for others."""

_LEFT_TO_ONE = (NotWhole, OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError)
"""The last two: another version of tbprof was installed since this process began."""


def read_trace_in_parallel(
    path: str | os.PathLike[str],
    *,
    tables: Tables = NO_TABLES,
    progress: Callable[[int, int], None] | None = None,
) -> Trace:
    """`read_trace`, on several cores where there are several and the file is large.

    Whatever is odd about the file, or goes wrong with a process, is left to `read_trace`.

    Raises:
        TraceError: as `read_trace` does.
    """
    count = 1 + other_processes(path)
    if count > 1:
        try:
            return _read(path, count, tables, progress)
        except _LEFT_TO_ONE:
            pass
    return read_trace(path, tables=tables, progress=progress)


def other_processes(path: str | os.PathLike[str]) -> int:
    """How many processes are worth starting to read the file."""
    try:
        size_bytes = Path(path).stat().st_size
    except (OSError, ValueError):
        return 0
    return min(cores(), MAX_PROCESSES) - 1 if size_bytes >= WORTH_SHARING_BYTES else 0


def _read(
    path: str | os.PathLike[str],
    count: int,
    tables: Tables,
    progress: Callable[[int, int], None] | None,
) -> Trace:
    before = status_of_regular(path)
    with ExitStack() as stack:
        # They work in another folder; the trace keeps the name that it was given.
        whole = Path(path).absolute()
        others = [
            stack.enter_context(_process(whole, FileSlice(at, count), tables)) for at in range(1, count)
        ]
        # This process reads, too, and what it has read stands for what all of them have.
        pieces = [read_slice(os.fspath(path), FileSlice(0, count), tables, _of_all(before.st_size, progress))]
        pieces += [_received(process) for process in others]
    if file_state(status_of_regular(path)) != file_state(before):
        raise NotWhole(path)
    return _joined(path, pieces)


def _of_all(
    size_bytes: int, progress: Callable[[int, int], None] | None
) -> Callable[[int, int], None] | None:
    """Stretches end together, and differ in size: as much of the file is read as of this one's."""
    return None if progress is None else lambda read, share: progress(size_bytes * read // share, size_bytes)


@contextmanager
def _process(path: Path, stretch: FileSlice, tables: Tables) -> Iterator[subprocess.Popen[bytes]]:
    process = start_python(
        "tbprof.trace.importers.kineto.slice_process",
        [str(path), str(stretch.index), str(stretch.count), *sorted(tables)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def _received(process: subprocess.Popen[bytes]) -> Piece:
    # Our own child: nobody else can write into this pipe.
    return cast(Piece, pickle.load(cast(IO[bytes], process.stdout)))


def _joined(path: str | os.PathLike[str], pieces: Sequence[Piece]) -> Trace:
    """The trace of the pieces, if each begins where the one before ended."""
    if any(before.end != after.start for before, after in pairwise(pieces)):
        raise NotWhole(path)
    reading = Reading(
        unpacked_bytes=pieces[-1].end + len(pieces[-1].tail),
        compression_damaged=False,
        ended=True,
        is_whole=True,
        oversized_events=0,
        losses=Losses(),
        metadata=read_metadata(pieces[0].head, pieces[-1].tail),
    )
    return trace_of(shown_path(path), join_rows([piece.rows for piece in pieces]), reading)
