"""Where windows wait until they are published: a private folder for each training process."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.processes import is_running, process_name

__all__ = [
    "PUBLISHER_PREFIX",
    "TRACE_SUFFIX",
    "adopt_windows",
    "check_spool",
    "facts_path",
    "log_path",
    "open_spool",
    "remove_partial_files",
]

TRACE_SUFFIX = ".pt.trace.json"
"""What torch's tensorboard_trace_handler ends its file names with."""

PUBLISHER_PREFIX = "publisher "
"""Starts the line of a log that names the publishing process."""

FORGOTTEN_SECONDS = 24 * 3600
"""Age from which a folder is taken for left behind where its process can't be asked about."""


def facts_path(trace: Path) -> Path:
    """Where the hook's facts of a spooled trace stand."""
    return _beside(trace, ".facts.json")


def log_path(trace: Path) -> Path:
    """Where the output of the process that publishes a spooled trace goes."""
    return _beside(trace, ".log")


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


def open_spool(logdir: Path, spool: Path | None) -> Path:
    """Make this process' folder for the windows of `logdir`, readable by its user only.

    Raises:
        UsageError: each place for it lies beneath the log directory.
        OSError: it can't be made.
    """
    base = _base_folder(logdir, spool)
    folder = base / hashlib.sha256(os.fsencode(logdir)).hexdigest()[:16] / process_name()
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        _make_private(folder)
    except FileNotFoundError:
        # Another process of the run has just removed the folder above, which was empty.
        _make_private(folder)
    return folder


def adopt_windows(folder: Path) -> Iterator[Path]:
    """Take over the windows that earlier processes left in the folders beside this one.

    Yields the traces that are whole, now in `folder`; everything else of those folders
    is removed. Of several processes that try, one gets each folder: a rename decides.
    """
    for orphan in sorted(folder.parent.iterdir()):
        if orphan != folder and orphan.is_dir() and _is_left_behind(orphan):
            yield from _take_over(orphan, folder)


def remove_partial_files(folder: Path) -> None:
    """Remove what a failed export left, so that a full disk gets its room back."""
    for partial in folder.glob(f"*{TRACE_SUFFIX}.tmp*"):
        partial.unlink(missing_ok=True)


def _beside(trace: Path, suffix: str) -> Path:
    return trace.with_name(trace.name.removesuffix(TRACE_SUFFIX) + suffix)


def _base_folder(logdir: Path, spool: Path | None) -> Path:
    asked_for = spool or os.environ.get("TBPROF_SPOOL")
    if asked_for:
        base = Path(asked_for).absolute()
        check_spool(base, logdir)
        return base
    places = (_user_cache() / "tbprof" / "spool", Path(tempfile.gettempdir()) / f"tbprof-spool-{_user()}")
    for place in places:
        if not place.is_relative_to(logdir):
            return place
    check_spool(places[0], logdir)
    return places[0]


def _user_cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _make_private(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    _require_own(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _require_own(folder: Path) -> None:
    """In a place that users share, another one may have made the folder first, with any contents."""
    if hasattr(os, "getuid") and folder.lstat().st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user; set TBPROF_SPOOL to a folder of your own")


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else "user"


def _is_left_behind(orphan: Path) -> bool:
    try:
        return _is_over(orphan.name, orphan) and all(
            _is_over(publisher, orphan) for publisher in _publishers(orphan)
        )
    except OSError:
        # What vanishes while it is looked at is somebody else's business.
        return False


def _is_over(process: str, folder: Path) -> bool:
    running = is_running(process)
    if running is None:
        return time.time() - folder.stat().st_mtime > FORGOTTEN_SECONDS
    return not running


def _publishers(folder: Path) -> Iterator[str]:
    """Names of the processes that were started to publish from this folder."""
    for log in folder.glob("*.log"):
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(PUBLISHER_PREFIX):
                yield line.removeprefix(PUBLISHER_PREFIX)


def _take_over(orphan: Path, folder: Path) -> Iterator[Path]:
    claimed = folder / f"adopted-{orphan.name}"
    try:
        orphan.rename(claimed)
    except OSError:
        return
    for trace in sorted(claimed.rglob(f"*{TRACE_SUFFIX}")):
        # The facts are written last: with them, the window is whole.
        if facts_path(trace).exists():
            facts_path(trace).rename(facts_path(folder / trace.name))
            yield trace.rename(folder / trace.name)
    shutil.rmtree(claimed, ignore_errors=True)
