"""A folder that is held by a living process, in whatever container: the kernel lets go with its end."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_TRIES = 50
_BETWEEN_TRIES_S = 0.02


def hold_folder(folder: Path) -> int | None:
    """Hold a folder of our own until the descriptor that is returned, and each copy of it, is closed.

    None where the system or the file system has no locks for folders, or where somebody who looks
    whether it is left behind does not end.

    Raises:
        FileNotFoundError: it is gone.
    """
    for _ in range(_TRIES):
        try:
            return _locked(folder)
        except BlockingIOError:
            time.sleep(_BETWEEN_TRIES_S)
    return None


@contextmanager
def trying_folder(folder: Path) -> Iterator[bool | None]:
    """Hold a folder meanwhile: True; False where a process holds it, and None where nobody knows.

    Raises:
        FileNotFoundError: it is gone.
    """
    try:
        descriptor = _locked(folder)
    except BlockingIOError:
        yield False
        return
    try:
        yield None if descriptor is None else True
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _locked(folder: Path) -> int | None:
    """The descriptor of a folder that is locked now; None where there are no such locks.

    Raises:
        BlockingIOError: another process holds it.
        FileNotFoundError: it is gone.
    """
    if sys.platform == "win32":
        return None
    # What is no folder, such as a pipe, is not waited for.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        # NFS locks no folder, and some file systems nothing.
        return None
    return descriptor
