"""Where windows wait until they are published: a private folder for each training process."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.file_names import BROKEN_SUFFIX, FACTS_SUFFIX, INPUTS_SUFFIX
from tbprof.hook.spool.processes import process_name

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
    """Where the steps behind a spooled trace stand that have what operators are given."""
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
