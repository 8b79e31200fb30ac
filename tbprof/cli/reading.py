"""What a command was given to read: a path or an address, a pipe, a trace or another kind of file.

Each option and argument of a command that is a path is declared with one of these functions as its `type`.
No kind of file needs the packages that read it to be known.

What comes through a pipe (`zcat a.gz | tbprof report -`, `<(zcat a.gz)`) as a file of its own.

A trace is read from several places at once, which a pipe does not allow.
"""

from __future__ import annotations

import dataclasses
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from tbprof.errors import TbprofError, TraceNotReadable, TraceTooLarge, UsageError
from tbprof.escaping import plain
from tbprof.file_names import MEMORY_STEP_SUFFIX, OUT_OF_MEMORY_SUFFIX, RUN_TIME_SUFFIX
from tbprof.model import Report
from tbprof.safe_open import open_regular

OtherKind: TypeAlias = Literal["out_of_memory", "memory_step", "run_time", "snapshot"]

_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
"""A pickle says its protocol first, since the second one."""
_PICKLE_SUFFIXES = (".pickle", ".pkl")


def other_file(paths: Sequence[Path]) -> tuple[OtherKind, Path] | None:
    """One of these that is no trace, with what it is instead; None where all may be traces."""
    found = ((kind, path) for kind, is_such in _KINDS for path in paths if is_such(path))
    return next(found, None)


def _is_memory_step(path: Path) -> bool:
    """Whether its name is that of one."""
    return path.name.endswith(MEMORY_STEP_SUFFIX)


def _is_out_of_memory(path: Path) -> bool:
    """Whether its name is that of one."""
    return path.name.endswith(OUT_OF_MEMORY_SUFFIX)


def _is_run_time(path: Path) -> bool:
    """Whether its name is that of one."""
    return path.name.endswith(RUN_TIME_SUFFIX)


def _is_pickle(path: Path) -> bool:
    """Whether a file begins as a pickle does, or is called one: the oldest two protocols say nothing."""
    return _first_bytes(path, 2) in _PICKLES or (path.suffix in _PICKLE_SUFFIXES and path.is_file())


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read(count)
    except OSError:
        return b""


_KINDS: tuple[tuple[OtherKind, Callable[[Path], bool]], ...] = (
    ("out_of_memory", _is_out_of_memory),
    ("memory_step", _is_memory_step),
    ("run_time", _is_run_time),
    ("snapshot", _is_pickle),
)


def near_path(path: str) -> str:
    """A whole path relative to the folder that the command runs in, where it lies beneath it."""
    return os.path.relpath(path) if path.startswith(str(Path.cwd()) + os.sep) else path


def path_of(text: str) -> Path:
    """The path as it was given; of an address, where its placeholders are, once the store was asked.

    Raises:
        UsageError: The text is empty.
        RemoteError: The address can't be read.
        Busy: It can't be reached now.
    """
    place = path_or_address(text)
    return _listed(place) if isinstance(place, str) else place


def local_path(text: str) -> Path:
    """The path of a file or a folder of this machine.

    Raises:
        UsageError: It is an address, or empty.
    """
    place = path_or_address(text)
    if isinstance(place, str):
        raise UsageError(f"{place} is an address, and here a path of this machine is needed: name one")
    return place


def path_or_address(text: str) -> Path | str:
    """The path, or the address as it was given.

    Raises:
        UsageError: The text is empty, as that of a variable of the shell is that was never set.
    """
    if not text:
        raise UsageError("a path is empty: name a file or a folder, such as . for this one")
    if "://" not in text:
        return Path(text)
    # Commands read folders of this machine most of the time.
    from tbprof.remote.address import is_address, local_folder_of

    local = local_folder_of(text)
    return text if local is None and is_address(text) else Path(local or text)


def _listed(address: str) -> Path:
    from tbprof.cli.output_file import tell
    from tbprof.store.mirroring import mirror
    from tbprof.texts.finding_notes import skipped_sentence

    mirrored = mirror(address)
    for file in mirrored.skipped:
        tell(f"{file.path}: {skipped_sentence(file.reason)}")
    return mirrored.folder


_PROGRESS_FROM_BYTES = 50 * 1000 * 1000
_PROGRESS_EVERY_S = 0.5


def is_folder(path: Path) -> bool:
    """Whether the path names a folder; one that can't be asked about is read as a file."""
    try:
        return path.is_dir()
    except OSError:
        # Too long a name, or a folder that may not be entered: reading it as a file says which.
        return False


def report_of_file(path: Path, *, use_cache: bool) -> Report:
    """The report of a trace or of a stored report; reading a large one is shown on a terminal.

    Raises:
        TbprofError: The file gives nothing.
    """
    with as_file(path) as file:
        # What came through a pipe has a name that will never be asked for again.
        use_cache = use_cache and file == path
        from tbprof.store import report_cache

        report = report_cache.report_of_file(file, use_cache=use_cache, progress=progress_of(path))
    named = dataclasses.replace(report.trace, path=report.trace.path.replace(str(file), str(path)))
    return dataclasses.replace(report, trace=named)


def progress_of(path: Path) -> Callable[[int, int], None] | None:
    """A line on a terminal that is written over, for a large file only."""
    if not sys.stderr.isatty():
        return None
    shown_at = time.monotonic()

    def show(read_bytes: int, total_bytes: int) -> None:
        nonlocal shown_at
        if total_bytes < _PROGRESS_FROM_BYTES:
            return
        done = read_bytes >= total_bytes
        if done or time.monotonic() - shown_at > _PROGRESS_EVERY_S:
            shown_at = time.monotonic()
            line = plain(f"reading {path.name}: {read_bytes / max(total_bytes, 1):.0%}")
            sys.stderr.write("\r" + (" " * len(line) + "\r" if done else line))

    return show


_STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_DESCRIPTOR = re.compile(r"/(dev|proc/self)/fd/\d+")
_PIECE_BYTES = 1024 * 1024
_BEGINNINGS = (b"{", b"[", b"\xef\xbb\xbf", b"\x1f\x8b")
"""The beginnings of JSON, with and without a byte order mark, and of gzip."""
_MOST_BYTES = 16 * 1024**3
"""The most bytes that any trace may unpack to."""


def is_piped(path: Path) -> bool:
    """Whether the path names an open pipe of this process. A pipe with a name of its own may never end."""
    if str(path) == "-":
        return not path.exists()
    if str(path) not in _STDIN and _DESCRIPTOR.fullmatch(str(path)) is None:
        return False
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


@contextmanager
def as_file(path: Path) -> Iterator[Path]:
    """The path itself; of a pipe a temporary file with all that comes through it.

    Raises:
        TbprofError: There is nothing to read, or more than has room; or what the caller raises
            of the temporary file, as a sentence about `path`.
    """
    if not is_piped(path):
        yield path
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="tbprof-") as folder:
        file = Path(folder) / "stdin.json"
        _copy(path, file)
        try:
            yield file
        except TbprofError as error:
            raise type(error)(str(error).replace(str(file), str(path))) from error


def _copy(path: Path, file: Path) -> None:
    # Few pipe anything in, and every command would wait for it.
    import shutil

    most_bytes = min(_MOST_BYTES, shutil.disk_usage(file.parent).free // 2)
    try:
        with _opened(path) as pipe, file.open("wb") as copy:
            piece = pipe.read(_PIECE_BYTES)
            if not piece:
                raise UsageError(f"nothing came through {path}: see what the command before it says")
            # Of what begins otherwise the beginning is enough to say so: it may never end.
            has_more = piece.lstrip().startswith(_BEGINNINGS)
            copy.write(piece)
            while has_more and (piece := pipe.read(_PIECE_BYTES)):
                if copy.tell() + len(piece) > most_bytes:
                    raise TraceTooLarge(
                        f"{path} gives more than {most_bytes:,} bytes, the room in {file.parent.parent}: "
                        "save it as a file and name that."
                    )
                copy.write(piece)
    except OSError as error:
        raise TraceNotReadable(f"{path} can't be read ({error.strerror}): save it as a file.") from error


def _opened(path: Path) -> BinaryIO:
    if str(path) not in _STDIN:
        return path.open("rb")
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(f"nothing is piped into {path}: name a trace, or write it there")
    return open(sys.stdin.fileno(), "rb", closefd=False)
