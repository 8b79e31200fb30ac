"""Files that appear whole, or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["PART_SUFFIX", "appearing", "write_whole"]

PART_SUFFIX = ".part"
"""Ends the name of a file that is being written; no viewer looks for it."""


@contextmanager
def appearing(path: Path) -> Iterator[BinaryIO]:
    """Write to a file aside, in the same folder, that takes `path`'s name once it is on disk.

    Its mode is what the umask gives. On an error the file aside is removed and `path` stays as it was.

    Raises:
        OSError: as the file system has it.
    """
    aside = path.with_name(f".{secrets.token_hex(8)}{PART_SUFFIX}")
    try:
        with aside.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def write_whole(path: Path, data: bytes) -> None:
    """`appearing` for bytes that are at hand.

    Raises:
        OSError: as the file system has it.
    """
    with appearing(path) as file:
        file.write(data)
