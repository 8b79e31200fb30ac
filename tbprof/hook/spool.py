"""Where windows wait until they are published: a private folder for each training process."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.file_names import BROKEN_SUFFIX, FACTS_SUFFIX, INPUTS_SUFFIX
from tbprof.hook.processes import process_name

_MOST_TEMPORARY = 100
"""Names that are tried."""

TRACE_SUFFIX = ".pt.trace.json"
"""What torch's tensorboard_trace_handler ends its file names with."""

PUBLISHER_PREFIX = "publisher "
"""Starts the line of a log that names the publishing process."""


def facts_path(trace: Path) -> Path:
    """Where the hook's facts of a spooled trace stand."""
    return _beside(trace, FACTS_SUFFIX)


def inputs_path(trace: Path) -> Path:
    """Where the steps after a spooled trace stand that have what operators are given."""
    return _beside(trace, INPUTS_SUFFIX)


def log_path(trace: Path) -> Path:
    """Where the output of the process that publishes a spooled trace goes."""
    return _beside(trace, ".log")


def page_path(trace: Path) -> Path:
    """Where the process that publishes a spooled trace leaves its page for trackers."""
    return _beside(trace, ".html")


def broken_path(trace: Path) -> Path:
    """What a spooled trace is called that turned out not to be whole: nobody tries it again."""
    return _beside(trace, BROKEN_SUFFIX)


def check_spool(spool: Path, logdir: Path) -> None:
    """Refuse a spool beneath the log directory, where every viewer would list its traces.

    Raises:
        UsageError: the spool is the log directory or lies beneath it.
    """
    if spool.is_relative_to(logdir):
        raise UsageError(
            f"The spool {spool} lies beneath the log directory {logdir}, where viewers would list its"
            " unfinished traces; give another folder with spool=... or the variable TBPROF_SPOOL."
        )


def open_spool(logdir: Path, spool: Path | None, name: str | None = None) -> Path:
    """Make a folder for the windows of `logdir`, readable by its user only, named after this process.

    Raises:
        UsageError: there is no place where it can be made.
    """
    failures = []
    for base in spool_bases(logdir, spool):
        folder = spools_of(base, logdir) / (name or process_name())
        try:
            base.mkdir(mode=0o700, parents=True, exist_ok=True)
            _require_private(base)
            _make_private_again(folder)
        except OSError as error:
            failures.append(f"{base} ({error})")
        else:
            return folder
    raise UsageError(
        f"There is no place where windows can wait until they are published: {'; '.join(failures)};"
        " give a folder with spool=... or the variable TBPROF_SPOOL."
    )


def spools_of(base: Path, logdir: Path) -> Path:
    """Where the processes of a log directory have their spools."""
    return base / hashlib.sha256(os.fsencode(logdir)).hexdigest()[:16]


def spool_bases(logdir: Path, spool: Path | None) -> tuple[Path, ...]:
    """Where the spools of all log directories are: the first that can be used.

    Raises:
        UsageError: each place for it lies beneath the log directory.
    """
    asked_for = spool or os.environ.get("TBPROF_SPOOL")
    if asked_for:
        base = Path(asked_for).absolute()
        check_spool(base, logdir)
        return (base,)
    places = tuple(_usual_places())
    usable = tuple(place for place in places if not place.is_relative_to(logdir))
    if places and not usable:
        check_spool(places[0], logdir)
    return usable


def _usual_places() -> Iterator[Path]:
    # A container may have a user without a home.
    with contextlib.suppress(RuntimeError):
        yield _user_cache() / "tbprof" / "spool"
    # Or no folder for what is temporary.
    with contextlib.suppress(FileNotFoundError):
        yield from _temporary_places(Path(tempfile.gettempdir()) / f"tbprof-spool-{_user()}")


def _temporary_places(first: Path) -> Iterator[Path]:
    """The user's own, and the one to be made: a folder that somebody else made could be renamed away."""
    for number in range(_MOST_TEMPORARY):
        place = first.with_name(f"{first.name}.{number}") if number else first
        try:
            if _is_private(place.lstat()):
                yield place
        except OSError:
            # It is to be made; where that can't be, whoever tries says why.
            yield place
            return


def _is_private(status: os.stat_result) -> bool:
    is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    return is_own and stat.S_ISDIR(status.st_mode) and (os.name == "nt" or not status.st_mode & 0o022)


def remove_partial_files(folder: Path) -> None:
    """Remove what a failed export left, so that a full disk gets its room back."""
    with contextlib.suppress(OSError):
        for partial in folder.glob(f"*{TRACE_SUFFIX}.tmp*"):
            partial.unlink()


def remove_empty_folders(folder: Path) -> None:
    """Remove a folder and those below it, as far as nothing is in them."""
    with contextlib.suppress(OSError):
        for inner in folder.iterdir():
            if inner.is_dir():
                remove_empty_folders(inner)
        folder.rmdir()


def _beside(trace: Path, suffix: str) -> Path:
    return trace.with_name(trace.name.removesuffix(TRACE_SUFFIX) + suffix)


def _user_cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _make_private_again(folder: Path) -> None:
    try:
        _make_private(folder)
    except FileNotFoundError:
        # Another process of the run has just removed the folder above, which was empty.
        _make_private(folder)


def _make_private(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    _require_own(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _require_private(base: Path) -> None:
    """In the folder for what is temporary, somebody else may have been faster."""
    if base.name.startswith(f"tbprof-spool-{_user()}") and not _is_private(base.lstat()):
        raise PermissionError("another user made it, or may write to it")


def _require_own(folder: Path) -> None:
    """In a place that users share, another one may have made the folder first, with any contents."""
    if hasattr(os, "getuid") and folder.lstat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user; set TBPROF_SPOOL to a folder of your own")


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


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
