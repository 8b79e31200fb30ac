"""What was made of the reports of a log directory, so that thousands of them are read once.

A summary belongs to the very files that it was made of, by what the system says of them; the time of a
file's last change of any kind, which nobody can set, is among that.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from tbprof.folders import private_cache_folder
from tbprof.model import Window
from tbprof.safe_open import FileState, content_within, file_state
from tbprof.store.files import write_whole
from tbprof.version import __version__

FileIdentity: TypeAlias = FileState
"""The identity of the report, then of the trace beside it; 0 for one that is not there."""

Document: TypeAlias = dict[str, Any]

_MAX_BYTES = 64 * 1024 * 1024
"""Some 60,000 summaries; what is larger was not written here."""


class KeptSummaries:
    """The summaries of one log directory, in the user's cache; where there is none, for as long as this
    lives.
    """

    def __init__(self, place: str, form: Collection[str]) -> None:
        """Nothing is read yet.

        Args:
            place: The log directory, in full.
            form: Names of a summary's fields: of others, what another version kept is of no use.
        """
        parts = repr((place, sorted(form), __version__))
        self._name = f"{hashlib.sha256(parts.encode()).hexdigest()[:32]}.json"
        self._kept: dict[str, tuple[FileIdentity, Document]] | None = None
        self._read_as: FileState | None = None
        """The state of the file that was read last."""

    def refresh(self) -> None:
        """Take over what another process, such as a command on a terminal, has kept since."""
        state = self._state()
        if self._kept is not None and state is not None and state != self._read_as:
            self._kept = {**self._kept, **self._read()}

    def _state(self) -> FileState | None:
        folder = private_cache_folder("fleet")
        if folder is None:
            return None
        with contextlib.suppress(OSError):
            return file_state(os.stat(folder / self._name))  # noqa: PTH116 - asked for again and again
        return None

    def get(self, path: str, identity: FileIdentity) -> Document | None:
        """The summary of the files, unless they have changed."""
        known = self._all().get(path)
        return known[1] if known is not None and known[0] == identity else None

    def keep(self, path: str, identity: FileIdentity, summary: Document) -> None:
        """Until `save`, in memory only."""
        self._all()[path] = identity, summary

    def save(self, paths: Collection[str]) -> None:
        """Write those of the paths that are still there; what can't be written is made again."""
        folder = private_cache_folder("fleet")
        self.refresh()
        there = set(paths)
        self._kept = {path: kept for path, kept in self._all().items() if path in there}
        if folder is None:
            return
        with contextlib.suppress(OSError):
            write_whole(folder / self._name, json.dumps(self._kept).encode(errors="replace"))
            self._read_as = self._state()

    def _all(self) -> dict[str, tuple[FileIdentity, Document]]:
        if self._kept is None:
            self._kept = self._read()
        return self._kept

    def _read(self) -> dict[str, tuple[FileIdentity, Document]]:
        folder = private_cache_folder("fleet")
        if folder is None:
            return {}
        self._read_as = self._state()
        try:
            data = content_within(folder / self._name, _MAX_BYTES)
            return {
                path: (tuple(identity), summary) for path, (identity, summary) in json.loads(data).items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            return {}


def identity_of_window(window: Window) -> FileIdentity:
    """What the files of a window are now.

    Raises:
        OSError: The one that counts is gone.
    """
    named = window.report_path or window.trace_path or ""
    status = os.stat(named)  # noqa: PTH116 - of thousands; a Path takes three times as long
    other = window.trace_path if window.report_path is not None else None
    return (*file_state(status), *(_identity_if_there(other) if other is not None else ()))


def identity_of_windows(windows: Iterable[Window]) -> FileIdentity:
    """What the files of these windows are now, as one.

    Raises:
        OSError: One that counts is gone.
    """
    return tuple(part for window in windows for part in identity_of_window(window))


def _identity_if_there(path: str) -> FileIdentity:
    try:
        return file_state(os.stat(path))  # noqa: PTH116 - as above
    except OSError:
        return (0,)
