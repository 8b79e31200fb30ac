"""Placeholders: small files in the user's cache, each in the place of a remote one that was listed.

A placeholder has the name, the size and the time of the remote file, and says where that is and which version
was listed. All that lists and compares files works on placeholders; who opens one reads the remote file.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import time
from functools import cache
from pathlib import Path
from typing import BinaryIO

from tbprof.errors import Busy, RemoteError
from tbprof.folders import private_cache_folder
from tbprof.records import dataclass
from tbprof.remote.store import Store

MIRRORS_VARIABLE = "TBPROF_MIRRORS"
"""The folders whose files are placeholders; the processes that are started to read inherit it."""

MOST_BYTES = 8 * 1024
"""The most bytes of what a placeholder says."""

_TICK_NS = 100
"""The tick of the coarsest file system whose times differ."""
_TICKS_PER_S = 10**9 // _TICK_NS

_addresses: dict[str, str] = {}
"""The addresses of the mirrors of this process."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    address: str
    """The address of the folder that was listed."""
    path: str
    """The path of the file, relative to that."""
    version: str
    size_bytes: int
    modified_ns: int

    @property
    def key(self) -> str:
        """Names the file and its version, in hexadecimal digits."""
        parts = repr((self.address, self.path, self.version, self.size_bytes))
        return hashlib.sha256(parts.encode(errors="surrogatepass")).hexdigest()[:32]


def mirror_folder(address: str, *, holds: str | None = None) -> Path:
    """Where the placeholders of a remote folder are; made if need be.

    Args:
        address: of the folder, or of a file.
        holds: the folder that what lies there is shown as, where it is not the address.

    Raises:
        RemoteError: this user has no cache.
    """
    base = private_cache_folder("remote")
    if base is None:
        raise RemoteError(f"{address} can't be read without a cache: set XDG_CACHE_HOME to a folder of yours")
    folder = base / hashlib.sha256(address.encode(errors="surrogatepass")).hexdigest()[:32]
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        os.utime(folder)
    except OSError as error:
        raise RemoteError(f"{address} can't be listed: {folder} can't be made ({error.strerror})") from error
    known = os.environ.get(MIRRORS_VARIABLE, "").split(os.pathsep)
    os.environ[MIRRORS_VARIABLE] = os.pathsep.join(dict.fromkeys([*filter(None, known), str(folder)]))
    _addresses[str(folder)] = address if holds is None else holds
    return folder


def is_mirrored(path: str | os.PathLike[str]) -> bool:
    """Whether a path is that of a placeholder."""
    mirrors = os.environ.get(MIRRORS_VARIABLE)
    if not mirrors:
        return False
    named = os.fspath(path)
    return any(named.startswith(mirror + os.sep) for mirror in mirrors.split(os.pathsep))


def addressed(text: str) -> str:
    """The same with addresses in the place of the paths of their placeholders."""
    for folder, address in _addresses.items():
        text = text.replace(folder, address)
    return text


def write_placeholder(path: Path, placeholder: Placeholder) -> None:
    """Put a placeholder where viewers look, whole.

    Raises:
        OSError: as the file system has it.
    """
    fields = (
        placeholder.address,
        placeholder.path,
        placeholder.version,
        placeholder.size_bytes,
        placeholder.modified_ns,
    )
    aside = path.with_name(f".{os.urandom(8).hex()}.part")
    try:
        with aside.open("xb") as file:
            file.write(json.dumps(fields).encode() + b"\n")
            # A hole takes no room, except where there are none.
            if os.name != "nt" and placeholder.size_bytes > file.tell():
                with contextlib.suppress(OSError):
                    file.truncate(placeholder.size_bytes)
        os.utime(aside, ns=(time_of(placeholder), time_of(placeholder)))
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def time_of(placeholder: Placeholder) -> int:
    """When the remote file was changed, in ns; what is below a second tells versions apart."""
    seconds = placeholder.modified_ns // 10**9
    return seconds * 10**9 + int(placeholder.key, 16) % _TICKS_PER_S * _TICK_NS


def placeholder_of(data: bytes) -> Placeholder:
    """What the first `MOST_BYTES` of a placeholder say.

    Raises:
        ValueError: They are none.
    """
    address, path, version, size_bytes, modified_ns = json.loads(data.partition(b"\n")[0])
    return Placeholder(address, path, version, size_bytes, modified_ns)


MAX_CACHE_BYTES = 4 * 1024**3
"""Beyond it, what was not used for longest goes."""

MAX_FILE_BYTES = 16 * 1024**3
"""Larger ones are not read: nothing that is would fit into a machine."""

PIECE_BYTES = 16 * 1024**2
"""The bytes of one request: what is lost when a connection breaks."""

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
    """Make room. Two processes that do so at once may each find gone what they were to remove."""
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
