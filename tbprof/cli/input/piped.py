"""What comes through a pipe (`zcat a.gz | tbprof report -`, `<(zcat a.gz)`) as a file of its own.

A trace is read from several places at once, which a pipe does not allow.
"""

from __future__ import annotations

import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from tbprof.errors import TbprofError, TraceNotReadable, TraceTooLarge, UsageError

_STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_DESCRIPTOR = re.compile(r"/(dev|proc/self)/fd/\d+")
_PIECE_BYTES = 1024 * 1024
_BEGINNINGS = (b"{", b"[", b"\xef\xbb\xbf", b"\x1f\x8b")
"""Of JSON, with and without a byte order mark, and of gzip."""
_MOST_BYTES = 16 * 1024**3
"""As much as any trace may unpack to."""


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
