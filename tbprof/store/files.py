"""Files that appear whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from tbprof.folders import FORGOTTEN_SECONDS

if sys.platform != "win32":
    import fcntl

__all__ = ["PART_SUFFIX", "appearing", "remove_abandoned_parts", "write_whole"]

PART_SUFFIX = ".part"
"""Ends the name of a file that is being written; no viewer looks for it."""


@contextmanager
def appearing(path: Path, *, like: Path | None = None) -> Iterator[BinaryIO]:
    """Write to a file aside, in the same folder, that takes `path`'s name once it is on disk.

    Its mode is what the umask gives, or that of `like`. On an error the file aside is removed and `path`
    stays as it was.

    Raises:
        OSError: as the file system has it.
    """
    aside = path.with_name(f".{os.urandom(8).hex()}{PART_SUFFIX}")
    try:
        with _held(aside) as file:
            if like is not None:
                aside.chmod(stat.S_IMODE(like.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        # What went wrong first is what the caller must hear of.
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """`appearing` for bytes that are at hand.

    Raises:
        OSError: as the file system has it.
    """
    with appearing(path) as file:
        file.write(data)


def remove_abandoned_parts(folder: Path) -> None:
    """Remove what processes left in `folder` that were killed while they wrote.

    Who writes holds a lock, which ends with its process: nobody's file is taken away. What can't
    be removed stays for the next time.
    """
    for part in folder.glob(f".*{PART_SUFFIX}"):
        with contextlib.suppress(OSError), part.open("rb") as file:
            if _is_abandoned(file):
                part.unlink()


def _held(path: Path) -> BinaryIO:
    """Make a file that no other process takes away."""
    while True:
        file = path.open("xb")
        with contextlib.suppress(OSError):
            _lock(file)
        # Before it was locked, somebody who cleans up may have removed it.
        if os.fstat(file.fileno()).st_nlink > 0:
            return file
        file.close()


def _is_abandoned(file: IO[bytes]) -> bool:
    try:
        _lock(file, wait=False)
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - os.fstat(file.fileno()).st_mtime > FORGOTTEN_SECONDS
    return True


def _lock(file: IO[bytes], *, wait: bool = True) -> None:
    """Hold the file until it is closed.

    Raises:
        BlockingIOError: another process holds it, and we would have to wait.
        OSError: its file system knows no locks.
    """
    # Windows lets nobody remove a file that is open.
    if sys.platform != "win32":
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
