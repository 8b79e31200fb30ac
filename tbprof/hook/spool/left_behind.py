"""Windows that earlier runs of a log directory left in this user's spool, counted and published."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.spool.orphan_recovery import is_orphaned, recover_windows
from tbprof.hook.spool.publishing import Publisher
from tbprof.hook.spool.spool import TRACE_SUFFIX, facts_path, spool_bases, spools_of
from tbprof.hook.spool.spool_folder import SpoolFolder

_LOOK_S = 600.0
"""A publishing process ends by itself before that."""


@dataclass(frozen=True, slots=True)
class LeftBehind:
    run: Path
    """Absolute; the run's folder need not be there."""
    waiting: int
    """Whole windows."""
    unfinished: int
    """Those whose process ended while it wrote them."""


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
        keep: what the publishing processes are told of the windows to keep.
        place: what a person is told that the run's folder is, where it is not this one.

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
