"""Files that appear whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from tbprof.folders import FORGOTTEN_SECONDS
from tbprof.safe_open import PART_SUFFIX, lock, name_aside, open_new, open_regular


@contextmanager
def appearing(path: Path, *, like: Path | None = None) -> Iterator[BinaryIO]:
    """Write to a file aside, in the same folder, that takes `path`'s name once it is on disk.

    Its mode is what the umask gives, or that of `like`. On an error the file aside is removed and `path`
    stays as it was.

    Raises:
        OSError: as the file system has it.
    """
    aside = name_aside(path)
    try:
        with open_new(aside) as file:
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
        # Others may write to the folder: what is called so may be a pipe, a device or a link.
        with contextlib.suppress(OSError), open_regular(part, follows_links=False) as file:
            if _is_abandoned(file):
                part.unlink()


def _is_abandoned(file: IO[bytes]) -> bool:
    try:
        lock(file, wait=False)
    except BlockingIOError:
        return False
    except OSError:
        return time.time() - os.fstat(file.fileno()).st_mtime > FORGOTTEN_SECONDS
    return True
