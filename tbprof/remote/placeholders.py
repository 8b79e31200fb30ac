"""Placeholders: small files in the user's cache, each in the place of a remote one that was listed.

A placeholder has the name, the size and the time of the remote file, and says where that is and which version
was listed. All that lists and compares files works on placeholders; who opens one reads the remote file.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from tbprof.digests import sha256_hex
from tbprof.errors import RemoteError
from tbprof.folders import private_cache_folder
from tbprof.records import dataclass

MIRRORS_VARIABLE = "TBPROF_MIRRORS"
"""The folders whose files are placeholders; the processes that are started to read inherit it."""

MOST_BYTES = 8 * 1024
"""Of what a placeholder says."""

_TICK_NS = 100
"""Of the coarsest file system whose times are told apart."""
_TICKS_PER_S = 10**9 // _TICK_NS

_addresses: dict[str, str] = {}
"""Of the mirrors of this process."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    address: str
    """Of the folder that was listed."""
    path: str
    """Of the file, relative to that."""
    version: str
    size_bytes: int
    modified_ns: int

    @property
    def key(self) -> str:
        """Names the file and its version, in hexadecimal digits."""
        parts = repr((self.address, self.path, self.version, self.size_bytes))
        return sha256_hex(parts.encode(errors="surrogatepass"))[:32]


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
    folder = base / sha256_hex(address.encode(errors="surrogatepass"))[:32]
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
