"""The windows of one process in its spool: where torch writes them, and which of them are whole."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

from tbprof.hook.plan import Plan
from tbprof.hook.recorded_window import RecordedWindow
from tbprof.hook.room import Room
from tbprof.hook.spool import facts_path, open_spool, remove_empty_folders
from tbprof.hook.window import ProfiledWindow
from tbprof.hook.window_times import WindowTimes
from tbprof.model import HookFacts

__all__ = ["SpooledWindows"]

logger = logging.getLogger("tbprof")


class SpooledWindows:
    """Keeps what was recorded, and counts what was lost."""

    def __init__(self, plan: Plan) -> None:
        self.folder = open_spool(plan.logdir, plan.spool)
        """The spool folder of this process."""
        self.recordings = self.folder / "recording"
        """Where torch writes; what is whole and has its facts goes up to the folder."""
        self.recorded = 0
        """Windows whose trace was written."""
        self.lost = 0
        """Windows that were due and gave no trace."""
        self._times = WindowTimes()
        self._room = Room(self.folder)

    def has_room(self) -> bool:
        """Whether another window may begin."""
        return self._room.is_enough()

    def keep(self, window: ProfiledWindow, facts: Callable[[], HookFacts]) -> RecordedWindow | None:
        """Write the facts, and then give the trace its place beside them; None where that fails."""
        if window.trace is None:
            self.lose(window.why_lost)
            return None
        named = self.folder / self._times.named(window.trace)
        try:
            self._room.note(window.trace)
            recorded = RecordedWindow(named, facts())
            window.trace.rename(named)
        except OSError as error:
            self.lose(str(error), window.trace, facts_path(named))
            return None
        self.recorded += 1
        return recorded

    def lose(self, reason: str, *left: Path) -> None:
        """A window is lost, and with it these files."""
        self.lost += 1
        for path in left:
            with contextlib.suppress(OSError):
                path.unlink()
        logger.warning("A window was recorded and is lost: %s (in %s).", reason, self.folder)

    def leave(self) -> None:
        """Remove the folder if nothing waits in it."""
        remove_empty_folders(self.folder)
        with contextlib.suppress(OSError):
            self.folder.parent.rmdir()
