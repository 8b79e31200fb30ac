"""What the hook had to complain of in a run; kept for `tbprof doctor` until a later run has ended."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.config.hook_config import HookConfig
from tbprof.hook.facts.facts import rank_and_world_size, worker_name
from tbprof.hook.spool.processes import host_name
from tbprof.hook.spool.spool import spool_bases, spools_of
from tbprof.safe_open import replace_whole

logger = logging.getLogger("tbprof")

RUN_WARNINGS_PREFIX = "last-run-"
"""Starts the name of the file, which stands beside the folders of the run's processes."""

MOST_RUN_WARNINGS = 20


class RunWarnings(logging.Filter):
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
        if record.levelno >= logging.WARNING and len(self.said) < MOST_RUN_WARNINGS:
            self.said.append(record.getMessage())
        return True

    def keep(self, config: HookConfig) -> None:
        """Listen no longer, and put what was heard in place of what the run before left."""
        logger.removeFilter(self)
        with contextlib.suppress(UsageError):
            paths = _paths(config)
            for path in paths:
                _remove(path)
            if self.said:
                _write_first(paths, {"logdir": config.place, "said": self.said})


def _paths(config: HookConfig) -> tuple[Path, ...]:
    """The same in the next run of this host and rank, which has another process number."""
    worker = worker_name(config.worker or host_name(), rank_and_world_size()[0])
    name = f"{RUN_WARNINGS_PREFIX}{worker}.json"
    return tuple(spools_of(base, config.logdir) / name for base in spool_bases(config.logdir, config.spool))


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
        path.parent.rmdir()


def _write_first(paths: Sequence[Path], run_warnings: dict[str, object]) -> None:
    """Where the first of these can be written; where none can, the training's log is all that there is."""
    for path in paths:
        with contextlib.suppress(OSError):
            _write(path, run_warnings)
            return


def _write(path: Path, run_warnings: dict[str, object]) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # As ASCII, since a path may be no UTF-8.
    replace_whole(path, json.dumps(run_warnings).encode("ascii"))
