"""The folder of one hook in the spool: held for as long as it is used, and made again if it vanishes."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from itertools import count
from pathlib import Path

from tbprof.hook.spool.folder_lock import hold_folder
from tbprof.hook.spool.processes import process_name
from tbprof.hook.spool.spool import open_spool, remove_empty_folders

logger = logging.getLogger("tbprof")

TOUCH_S = 600
"""Where folders can't be locked, other hosts take one for left behind whose time is old."""

_used_here: set[str] = set()
"""Names, with which two hooks of one process would meet."""


class SpoolFolder:
    """A folder that no other process takes over meanwhile.

    Raises:
        UsageError: no place for it can be used.
    """

    def __init__(self, logdir: Path, spool: Path | None) -> None:
        self._logdir, self._spool = logdir, spool
        self._name = _free_name()
        self._descriptor: int | None = None
        self._touched_s = time.monotonic()
        self.path = self._opened()

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What a process must be given that goes on working in the folder after our end."""
        return () if self._descriptor is None else (self._descriptor,)

    def ensure(self) -> None:
        """Make the folder again where somebody has removed it, and show others that it is in use.

        Raises:
            UsageError: it can't be made again.
        """
        if not self._is_there():
            logger.warning("%s was removed and is made again: what waited in it is lost.", self.path)
            self._let_go()
            self.path = self._opened()
        if time.monotonic() - self._touched_s > TOUCH_S:
            self._touched_s = time.monotonic()
            with contextlib.suppress(OSError):
                os.utime(self.path)

    def leave(self) -> None:
        """Remove the folder if nothing waits in it, and let others take over what does."""
        remove_empty_folders(self.path)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()
        _used_here.discard(self._name)
        self._let_go()

    def forget(self) -> None:
        """In a forked child: the folder is its parent's, and must not be held beyond the parent's end."""
        self._let_go()

    def _opened(self) -> Path:
        while True:
            folder = open_spool(self._logdir, self._spool, self._name)
            # Before it was locked, somebody who looks for folders left behind may have taken it.
            with contextlib.suppress(FileNotFoundError):
                self._descriptor = hold_folder(folder)
                if self._descriptor is None or _is_same(self._descriptor, folder):
                    return folder
            self._let_go()

    def _is_there(self) -> bool:
        if self._descriptor is None:
            return self.path.is_dir()
        return _is_same(self._descriptor, self.path)

    def _let_go(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            # A training that closes all files has closed this one, too.
            with contextlib.suppress(OSError):
                os.close(descriptor)


def _free_name() -> str:
    own = process_name()
    names = (f"{own}.{number}" if number else own for number in count())
    name = next(name for name in names if name not in _used_here)
    _used_here.add(name)
    return name


def _is_same(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except OSError:
        return False
