"""What the last runs of a log directory left behind, a sentence each."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.session.run_warnings import RUN_WARNINGS_PREFIX
from tbprof.hook.spool.orphan_recovery import is_orphaned
from tbprof.hook.spool.spool import TRACE_SUFFIX, facts_path, spool_bases, spools_of

__all__ = ["past_problems"]


def past_problems(logdir: Path) -> Iterator[str]:
    """Warnings of the runs in and below a folder, and the windows of theirs that still wait.

    Only what lies in the user's cache folder, or in TBPROF_SPOOL, is found.
    """
    try:
        bases = spool_bases(logdir, None)
    except UsageError:
        # No run could use that place; what is wrong with it is said of the folder itself.
        return
    for base in bases:
        yield from _run_warnings(base, logdir)
        for run in _folders(logdir):
            yield from _waiting_windows(spools_of(base, run), run)


def _run_warnings(base: Path, logdir: Path) -> Iterator[str]:
    """What was said, of runs as well whose folder was never made."""
    for path in sorted(base.glob(f"*/{RUN_WARNINGS_PREFIX}*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(path.read_bytes())
            run, ended = Path(kept["logdir"]), datetime.fromtimestamp(path.stat().st_mtime)
            if run.is_relative_to(logdir):
                yield from (f"{run}, run that ended {ended:%Y-%m-%d %H:%M}: {said}" for said in kept["said"])


def _folders(logdir: Path) -> Iterator[Path]:
    yield logdir
    for folder, inner, _ in os.walk(logdir):
        yield from (Path(folder, name) for name in inner)


def _waiting_windows(spools: Path, run: Path) -> Iterator[str]:
    """Those of processes that are gone: they were killed, or could not publish them."""
    with contextlib.suppress(OSError):
        for folder in sorted(path for path in spools.iterdir() if path.is_dir() and is_orphaned(path)):
            traces = list(folder.rglob(f"*{TRACE_SUFFIX}"))
            waiting = sum(facts_path(trace).exists() for trace in traces)
            if waiting:
                yield f"{run}: windows that were never published: {waiting}; the next run does it."
            if waiting < len(traces):
                yield f"{run}: windows whose process ended while they were written: {len(traces) - waiting}."
