"""What the hook says when a run is over."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path

from tbprof.errors import UsageError
from tbprof.hook.hook_config import HookConfig
from tbprof.hook.processes import host_name
from tbprof.hook.publishing import Publisher
from tbprof.hook.safety.user_message import say
from tbprof.hook.session import Session
from tbprof.hook.spool import spool_bases, spools_of
from tbprof.hook.window.facts import rank_and_world_size, worker_name
from tbprof.remote.outbox import waiting_files
from tbprof.safe_open import replace_whole

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


logger = logging.getLogger("tbprof")


def log_run_summary(
    config: HookConfig, session: Session | None, steps_taken: int, *, no_step: str, is_explained: bool
) -> None:
    """Log where the results are and how to open them, and what became of windows that are not there.

    Where it is explained, a line of its own has said why there is no window: of a fault that ended the
    profiling, or of a framework's profiler. `no_step` says what did not come where no step was taken.
    """
    if not is_explained and (session is None or session.windows.recorded == 0):
        reason = _why_no_window(config, session, steps_taken, no_step)
        logger.warning("No window was recorded: %s", reason)
    if session is not None:
        _log_results(config, session.publisher)
        _log_missing(config, session)


def _log_results(config: HookConfig, publisher: Publisher) -> None:
    if publisher.empty > 0:
        logger.warning("Windows without GPU work: %d (see above); tbprof doctor says why.", publisher.empty)
    if publisher.running and publisher.speaks:
        say(
            "Still being published, by a process of its own: %d. To see it then: tbprof report %s",
            len(publisher.running),
            config.place,
        )


def _log_missing(config: HookConfig, session: Session) -> None:
    publisher = session.publisher
    if publisher.unpublished > 0:
        logger.warning(
            "Unpublished windows: %d; they wait in %s until a run with this log directory starts, or for:"
            " tbprof publish %s",
            publisher.unpublished,
            session.windows.folder,
            config.place,
        )
    unsent = [] if config.address is None else waiting_files(config.logdir)
    if unsent:
        logger.warning(
            "Files that have not reached %s: %d (%s); they wait in %s%s, for the next window of a run with"
            " this log directory, or for: tbprof publish %s",
            config.address,
            len(unsent),
            publisher.why_not_sent() or "the store has not answered so far",
            config.logdir,
            " for the process that still sends them" if publisher.running else "",
            config.address,
        )
    lost = session.windows.lost + publisher.lost
    if lost > 0:
        logger.warning("Lost windows: %d (see above).", lost)


def _what_happened(session: Session, *, has_taken_enough: bool) -> str | None:
    """What kept the windows away in a run that might have had some."""
    is_unfinished = session.was_left_open or (has_taken_enough and session.windows.lost == 0)
    if session.thread.has_others and is_unfinished:
        return "several threads called step(), and a window has the steps of one: call it from one thread."
    if session.was_left_open:
        return "the run ended while it was recorded, and only its own thread can end it: call close() there."
    if session.windows.lost > 0:
        return "its file could not be written (see above)."
    if session.was_interrupted:
        return "the count given to step() went back, or stood still, in each (see above)."
    if session.has_given_way and has_taken_enough:
        return "another profiler was at work each time that a window was due."
    return "none could begin in time (see above)." if has_taken_enough else None


def _why_no_window(config: HookConfig, session: Session | None, steps_taken: int, no_step: str) -> str:
    before = config.schedule.steps_before_recording
    reason = None if session is None else _what_happened(session, has_taken_enough=steps_taken > before)
    if reason is not None:
        return reason
    if steps_taken == 0:
        return f"{no_step}; recording begins after {before} steps."
    return f"recording begins after {before} steps; steps taken: {steps_taken}. Lower skip_first or warmup."
