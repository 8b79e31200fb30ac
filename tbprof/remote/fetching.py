"""The content of remote files: read once, and kept in the user's cache by version, within a limit."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import time
from functools import cache
from pathlib import Path
from typing import BinaryIO

from tbprof.errors import Busy, RemoteError
from tbprof.folders import private_cache_folder
from tbprof.remote.placeholders import Placeholder
from tbprof.remote.store import Store

MAX_CACHE_BYTES = 4 * 1024**3
"""Beyond it, what was not used for longest goes."""

MAX_FILE_BYTES = 16 * 1024**3
"""Larger ones are not read: nothing that is would fit into a machine."""

PIECE_BYTES = 16 * 1024**2
"""Of one request: what is lost when a connection breaks."""

_OURS = re.compile(r"[0-9a-f]{32}|\.[0-9a-f]{16}\.part")
_ABANDONED_S = 3600.0


def content_at_hand(placeholder: Placeholder) -> Path | None:
    """Where the content of this version is; None where it has to be read."""
    folder = private_cache_folder("remote-content")
    if folder is None or not (folder / placeholder.key).is_file():
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / placeholder.key)
    return folder / placeholder.key


def fetched(placeholder: Placeholder) -> Path:
    """Where the content of this version is, after it was read if need be.

    Raises:
        OSError: It can't be read or kept; its `strerror` is a sentence.
        Busy: Not now, or there is another version by now.
    """
    kept = content_at_hand(placeholder)
    if kept is not None:
        return kept
    if placeholder.size_bytes > MAX_FILE_BYTES:
        raise OSError(errno.EFBIG, f"it holds more than {MAX_FILE_BYTES // 1024**3} GiB")
    folder = private_cache_folder("remote-content")
    if folder is None:
        raise OSError(errno.ENOENT, "without a cache, remote files are not read: set XDG_CACHE_HOME")
    _make_room(folder, placeholder.size_bytes)
    aside = folder / f".{os.urandom(8).hex()}.part"
    try:
        with aside.open("xb") as file:
            _read(placeholder, file)
        aside.replace(folder / placeholder.key)
    except RemoteError as error:
        raise OSError(errno.EACCES, str(error)) from error
    finally:
        aside.unlink(missing_ok=True)
    return folder / placeholder.key


def _read(placeholder: Placeholder, file: BinaryIO) -> None:
    """Read a file piece by piece; it may be replaced meanwhile, and pieces of two versions fit nowhere."""
    store = _store(placeholder.address)
    for start in range(0, placeholder.size_bytes, PIECE_BYTES):
        end = min(start + PIECE_BYTES, placeholder.size_bytes)
        file.write(store.read(placeholder.path, start, end))
    now = store.stated(placeholder.path)
    if (now.version, now.size_bytes) != (placeholder.version, placeholder.size_bytes):
        raise Busy(
            f"{placeholder.address}/{placeholder.path} was replaced while it was read: try again in a minute"
        )


@cache
def _store(address: str) -> Store:
    """To open one takes longer than to read a report."""
    return Store(address)


def _make_room(folder: Path, needed_bytes: int) -> None:
    """Of two processes that do so at once, each may find gone what it was to remove."""
    kept = []
    for entry in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if _OURS.fullmatch(entry.name):
                kept.append((entry.lstat(), entry))
    total = needed_bytes + sum(status.st_size for status, _ in kept)
    for status, entry in sorted(kept, key=lambda one: one[0].st_mtime_ns):
        is_part = entry.suffix == ".part"
        if (total > MAX_CACHE_BYTES and not is_part) or (is_part and _is_abandoned(status)):
            entry.unlink(missing_ok=True)
            total -= status.st_size


def _is_abandoned(status: os.stat_result) -> bool:
    return time.time() - status.st_mtime > _ABANDONED_S
