"""A remote folder as fsspec reads and writes it: the only place that knows fsspec.

Each way in is one that every file system of fsspec has. What they raise comes from a dozen packages; here it
becomes a `RemoteError`, where somebody has to do something, or `Busy`, where waiting may help.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from tbprof.errors import Busy, RemoteError, TbprofError
from tbprof.records import dataclass
from tbprof.remote.address import checked_address

_VERSIONS = ("ETag", "etag", "generation", "md5Hash", "md5", "content_hash")
_TIMES = ("LastModified", "last_modified", "updated", "mtime", "modified", "created")
"""Names that file systems give to what changes with a file's content, and to when that was."""

_CREDENTIALS = {
    "NoCredentialsError",
    "PartialCredentialsError",
    "TokenRetrievalError",
    "UnauthorizedSSOTokenError",
    "DefaultCredentialsError",
    "RefreshError",
    "ClientAuthenticationError",
    "CredentialUnavailableError",
}
"""Classes of errors of botocore, google.auth and azure.identity."""

_TRIES = 2
"""Most file systems of fsspec try several times themselves."""
_FIRST_PAUSE_S = 0.25

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class RemoteFile:
    path: str
    """Relative to the folder; "" where the address itself is a file."""
    size_bytes: int
    version: str
    """Another one for another content of the same size."""
    modified_ns: int
    """0 where the store does not tell."""


class Store:
    """One remote folder; nothing is asked of it before a method is called."""

    def __init__(self, address: str, *, tries: int = _TRIES) -> None:
        """Find what reads it.

        Args:
            address: such as `s3://bucket/runs`.
            tries: of one request, where the store can't be reached.

        Raises:
            RemoteError: what reads it is not installed, or does not take this address.
        """
        self.address = checked_address(address)
        self._tries = tries
        try:
            from fsspec.core import url_to_fs

            self._files, self._root = url_to_fs(
                self.address, skip_instance_cache=True, use_listings_cache=False
            )
        except Exception as error:
            raise RemoteError(f"{address} can't be read ({error})") from error

    def listed(self) -> Iterator[RemoteFile]:
        """All files beneath the folder, by one listing that the store gives page by page.

        Raises:
            RemoteError: It may not be listed, or there is no such place.
            Busy: It can't be reached now.
        """
        found = self._asked("listed", self._root, lambda: self._files.find(self._root, detail=True))
        for path, info in found.items():
            if path == self._root:
                info = info or self._asked("read", path, lambda: self._files.info(self._root))
                yield _remote_file("", info)
            elif path.startswith(f"{self._root}/"):
                yield _remote_file(path[len(self._root) + 1 :], info)

    def read(self, path: str, start: int, end: int) -> bytes:
        """The bytes from `start` up to `end` of a file.

        Raises:
            RemoteError: as `listed` does.
            Busy: as `listed` does, or the store gave fewer.
        """

        def piece() -> bytes:
            data: bytes = self._files.cat_file(self._full(path), start=start, end=end)
            if len(data) != end - start:
                raise EOFError(f"{len(data):,} bytes came of {end - start:,}")
            return data

        return self._asked("read", self._full(path), piece)

    def stated(self, path: str) -> RemoteFile:
        """What the store says of a file now.

        Raises:
            RemoteError: as `listed` does.
            Busy: as `listed` does.
        """
        info = self._asked("read", self._full(path), lambda: self._files.info(self._full(path)))
        return _remote_file(path, info)

    def write(self, local: Path, path: str) -> None:
        """Put a file there, whole.

        Raises:
            RemoteError: as `listed` does.
            Busy: as `listed` does, or it is not there whole.
        """
        size = local.stat().st_size

        def put() -> None:
            self._files.put_file(str(local), self._full(path))
            written = self._files.info(self._full(path)).get("size")
            if written != size:
                raise EOFError(f"{written} bytes arrived of {size:,}")

        # Folders are made by those file systems that have any.
        self._asked("written to", self._full(path), put)

    def _full(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    def _asked(self, done: str, place: str, ask: Callable[[], _Answer]) -> _Answer:
        for attempt in range(self._tries):
            try:
                return ask()
            except Exception as error:
                said = self._said(done, place, error)
                if isinstance(said, RemoteError) or attempt == self._tries - 1:
                    raise said from error
            time.sleep(_FIRST_PAUSE_S * 2**attempt)
        raise AssertionError("the last try returns or raises")

    def _said(self, done: str, place: str, error: Exception) -> TbprofError:
        scheme = self.address.partition("://")[0]
        where = f"{scheme}://{place.removeprefix('/')}"
        names = {kind.__name__ for kind in type(error).__mro__}
        if isinstance(error, PermissionError) or names & _CREDENTIALS:
            return RemoteError(
                f"{where} can't be {done} ({_words(error)}): check your credentials for {scheme}"
            )
        if isinstance(error, FileNotFoundError):
            return RemoteError(f"{where} is not there: check the address")
        if isinstance(error, ImportError):
            return RemoteError(f"{where} can't be {done} ({_words(error)}): install what is missing")
        return Busy(f"{where} can't be {done} now ({_words(error)}): check the network, and try again")


def _words(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0][:200] if said else type(error).__name__


def _remote_file(path: str, info: Mapping[str, Any]) -> RemoteFile:
    modified_ns = _time_ns(info)
    versions = (str(info[name]) for name in _VERSIONS if info.get(name))
    return RemoteFile(path, int(info.get("size") or 0), next(versions, str(modified_ns)), modified_ns)


def _time_ns(info: Mapping[str, Any]) -> int:
    for name in _TIMES:
        found = info.get(name)
        if isinstance(found, str):
            try:
                found = datetime.fromisoformat(found.replace("Z", "+00:00"))
            except ValueError:
                continue
        if isinstance(found, datetime):
            found = found.timestamp()
        if isinstance(found, (int, float)):
            # A listing and a single answer may tell the rest differently.
            return int(found * 1000) * 1_000_000
    return 0
