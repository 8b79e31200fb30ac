"""Windows that earlier processes left in their spools are published by the next one."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.folders import FORGOTTEN_SECONDS
from tbprof.hook.processes import is_of_this_host, is_running
from tbprof.hook.publishing import Publisher
from tbprof.hook.spool import (
    PUBLISHER_PREFIX,
    TRACE_SUFFIX,
    SpoolFolder,
    facts_path,
    inputs_path,
    remove_empty_folders,
    spool_bases,
    spools_of,
    trying_folder,
)
from tbprof.safe_open import content_within

logger = logging.getLogger("tbprof")

_MOST_LOG_BYTES = 16 * 1024 * 1024

RECOVERED_PREFIX = "adopted-"
"""Starts the name of a folder that another process left."""


def recover_windows(folder: Path) -> Iterator[Path]:
    """Take over the windows that earlier processes left in the folders beside this one.

    Yields the traces that are whole, each with its facts in a folder below `folder`;
    everything else that those processes left is removed. Of several processes that try,
    one gets each folder: a rename decides. What can't be taken over now is left alone.
    """
    with contextlib.suppress(OSError):
        for orphan in sorted(folder.parent.iterdir()):
            if orphan != folder and orphan.is_dir():
                for place in _claim(orphan, folder):
                    yield from _whole_windows(place)


def _claim(orphan: Path, folder: Path) -> list[Path]:
    """Move a folder left behind, with what it had itself taken over, below our own; where it is now."""
    claimed = folder / f"{RECOVERED_PREFIX}{orphan.name}"
    places = [claimed]
    with contextlib.suppress(OSError):
        with trying_folder(orphan) as is_free:
            if not _is_over(orphan, is_free=is_free):
                return []
            orphan.rename(claimed)
        # Side by side, so that names do not grow with every process that dies.
        places.extend(inner.rename(folder / inner.name) for inner in claimed.glob(f"{RECOVERED_PREFIX}*"))
    return places


def _whole_windows(place: Path) -> list[Path]:
    """The whole windows below a folder, from which all else is removed."""
    windows = []
    for trace in sorted(place.rglob(f"*{TRACE_SUFFIX}")):
        # The facts are written last: with them, the window is whole.
        if facts_path(trace).exists():
            windows.append(trace)
        else:
            logger.warning("A window was lost because its process ended while writing it: %s", trace.name)
    kept = {file for trace in windows for file in (trace, facts_path(trace), inputs_path(trace))}
    for left in place.rglob("*"):
        if left not in kept and not left.is_dir():
            with contextlib.suppress(OSError):
                left.unlink()
    remove_empty_folders(place)
    return windows


def is_orphaned(orphan: Path) -> bool:
    """Whether no process is left that a folder belongs to, or that publishes from it."""
    try:
        with trying_folder(orphan) as is_free:
            return _is_over(orphan, is_free=is_free)
    except OSError:
        # What vanishes while it is looked at is somebody else's business.
        return False


def _is_over(folder: Path, *, is_free: bool | None) -> bool:
    """Whether nobody works in a folder; `is_free` where it could be locked, None where nobody knows."""
    if is_free is None:
        return all(_has_ended(process, folder) for process in (folder.name, *_publishers(folder)))
    # A shared home may be mounted with locks that other hosts do not see.
    return is_free and (is_of_this_host(folder.name) or _is_forgotten(folder))


def _has_ended(process: str, folder: Path) -> bool:
    running = is_running(process)
    return _is_forgotten(folder) if running is None else not running


def _is_forgotten(folder: Path) -> bool:
    return time.time() - folder.stat().st_mtime > FORGOTTEN_SECONDS


def _publishers(folder: Path) -> Iterator[str]:
    """Names of the processes that were started to publish from this folder; they hold its lock as well."""
    for log in folder.rglob("*.log"):
        with contextlib.suppress(OSError):
            lines = content_within(log, _MOST_LOG_BYTES).decode("utf-8", errors="replace").splitlines()
            names = (line for line in lines if line.startswith(PUBLISHER_PREFIX))
            yield from (name.removeprefix(PUBLISHER_PREFIX) for name in names)


_LOOK_S = 600.0
"""A publishing process ends by itself before that."""


@dataclass(frozen=True, slots=True)
class LeftBehind:
    run: Path
    """Absolute; the run's folder need not be there."""
    waiting: int
    """Whole windows."""
    unfinished: int
    """The windows whose process ended while it wrote them."""


def left_behind(logdir: Path) -> Iterator[LeftBehind]:
    """What processes that are gone left for a log directory, and for the folders below it.

    Args:
        logdir: absolute. Only what lies in the user's cache folder, or in TBPROF_SPOOL, is found.
    """
    try:
        bases = spool_bases(logdir, None)
    except UsageError:
        # No run could use that place; what is wrong with it is said of the folder itself.
        return
    for run in _folders(logdir):
        traces = [trace for base in bases for trace in _orphaned_traces(spools_of(base, run))]
        waiting = sum(facts_path(trace).exists() for trace in traces)
        if traces:
            yield LeftBehind(run, waiting, len(traces) - waiting)


def publish_left_behind(run: Path, keep: Sequence[str] = (), place: str | None = None) -> Publisher:
    """Publish what waits for a run, and wait until that is done; what became of it.

    Args:
        run: the run's folder, absolute.
        keep: the windows to keep, as the publishing processes get them.
        place: the run's folder as a person knows it, where it is not this one.

    Raises:
        UsageError: the spool can't be used, or belongs to another user.
    """
    spool = SpoolFolder(run, None)
    publisher = Publisher(str(run), keep, lambda: spool.descriptors, place=place)
    try:
        for trace in recover_windows(spool.path):
            publisher.publish(trace)
        while publisher.running:
            publisher.wait(_LOOK_S)
    finally:
        publisher.leave()
        spool.leave()
    return publisher


def _folders(logdir: Path) -> Iterator[Path]:
    yield logdir
    for folder, inner, _ in os.walk(logdir):
        yield from (Path(folder, name) for name in inner)


def _orphaned_traces(spools: Path) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        for folder in sorted(path for path in spools.iterdir() if path.is_dir() and is_orphaned(path)):
            yield from folder.rglob(f"*{TRACE_SUFFIX}")
