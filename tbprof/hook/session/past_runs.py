"""What the last runs of a log directory left behind, a sentence each."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.session.run_warnings import RUN_WARNINGS_PREFIX
from tbprof.hook.spool.left_behind import left_behind
from tbprof.hook.spool.spool import spool_bases
from tbprof.safe_open import content_within

_MOST_BYTES = 16 * 1024 * 1024


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
    for left in left_behind(logdir):
        if left.waiting:
            yield f"{left.run}: windows that were never published: {left.waiting}; tbprof publish {left.run}"
        if left.unfinished:
            yield f"{left.run}: windows whose process ended while they were written: {left.unfinished}."


def _run_warnings(base: Path, logdir: Path) -> Iterator[str]:
    """What was said, of runs as well whose folder was never made."""
    for path in sorted(base.glob(f"*/{RUN_WARNINGS_PREFIX}*.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(content_within(path, _MOST_BYTES))
            run, ended = Path(kept["logdir"]), datetime.fromtimestamp(path.stat().st_mtime)
            if run.is_relative_to(logdir):
                yield from (f"{run}, run that ended {ended:%Y-%m-%d %H:%M}: {said}" for said in kept["said"])
