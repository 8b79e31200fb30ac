"""What the hook had to complain of in a run; kept for `tbprof doctor` until a later run has ended."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.config.hook_config import Plan
from tbprof.hook.facts.facts import rank_and_world_size, worker_name
from tbprof.hook.spool.processes import host_name
from tbprof.hook.spool.spool import spool_bases, spools_of

__all__ = ["COMPLAINTS_PREFIX", "Complaints"]

logger = logging.getLogger("tbprof")

COMPLAINTS_PREFIX = "last-run-"
"""Starts the name of the file, which stands beside the folders of the run's processes."""

MOST_COMPLAINTS = 20


class Complaints(logging.Filter):
    """Hears the hook's own warnings and holds none of them back.

    A filter and no handler: with a handler of ours, Python would no longer print warnings for a
    training that has set up no logging.
    """

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def listen(self) -> None:
        """Hear what is said from now on; asking twice is harmless."""
        logger.addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """Note a warning."""
        if record.levelno >= logging.WARNING and len(self.said) < MOST_COMPLAINTS:
            self.said.append(record.getMessage())
        return True

    def keep(self, plan: Plan) -> None:
        """Listen no longer, and put what was heard in place of what the run before left."""
        logger.removeFilter(self)
        with contextlib.suppress(UsageError):
            paths = _paths(plan)
            for path in paths:
                _remove(path)
            if self.said:
                _write_first(paths, {"logdir": str(plan.logdir), "said": self.said})


def _paths(plan: Plan) -> tuple[Path, ...]:
    """The same in the next run of this host and rank, which has another process number."""
    worker = worker_name(plan.worker or host_name(), rank_and_world_size()[0])
    name = f"{COMPLAINTS_PREFIX}{worker}.json"
    return tuple(spools_of(base, plan.logdir) / name for base in spool_bases(plan.logdir, plan.spool))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
        path.parent.rmdir()


def _write_first(paths: Sequence[Path], complaints: dict[str, object]) -> None:
    """Where the first of these can be written; where none can, the training's log is all that there is."""
    for path in paths:
        with contextlib.suppress(OSError):
            _write(path, complaints)
            return


def _write(path: Path, complaints: dict[str, object]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # As ASCII, since a path may be no UTF-8. Who reads half of it leaves it out.
        path.write_text(json.dumps(complaints), encoding="ascii")
    except OSError:
        path.unlink(missing_ok=True)
        raise
