"""What the hook had to complain of in a run; kept for `tbprof doctor` until a later run has ended."""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.facts import rank_and_world_size, worker_name
from tbprof.hook.plan import Plan
from tbprof.hook.processes import host_name
from tbprof.hook.spool import spool_base, spools_of

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
        # Where nothing can be written, the training's log is all that there is.
        with contextlib.suppress(OSError, UsageError):
            path = _path(plan)
            if self.said:
                _write(path, {"logdir": str(plan.logdir), "said": self.said})
            elif path.exists():
                path.unlink()
                path.parent.rmdir()


def _path(plan: Plan) -> Path:
    """The same in the next run of this host and rank, which has another process number."""
    worker = worker_name(plan.worker or host_name(), rank_and_world_size()[0])
    return spools_of(spool_base(plan.logdir, plan.spool), plan.logdir) / f"{COMPLAINTS_PREFIX}{worker}.json"


def _write(path: Path, complaints: dict[str, object]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        # As ASCII, since a path may be no UTF-8. Who reads half of it leaves it out.
        path.write_text(json.dumps(complaints), encoding="ascii")
    except OSError:
        path.unlink(missing_ok=True)
        raise
