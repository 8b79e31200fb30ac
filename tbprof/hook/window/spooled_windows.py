"""The windows of one process in its spool: where torch writes them, and which of them are whole."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

from tbprof.hook.config.hook_config import HookConfig
from tbprof.hook.safety.program_errors import let_through
from tbprof.hook.spool.free_space import FreeSpace
from tbprof.hook.spool.spool import facts_path
from tbprof.hook.spool.spool_folder import SpoolFolder
from tbprof.hook.spool.window_times import WindowTimes
from tbprof.hook.window.recorded_window import RecordedWindow
from tbprof.hook.window.window import ProfiledWindow
from tbprof.model import HookFacts

logger = logging.getLogger("tbprof")


class SpooledWindows:
    """Keeps what was recorded, and counts what was lost."""

    def __init__(self, config: HookConfig) -> None:
        self._spool = SpoolFolder(config.logdir, config.spool)
        self.recorded = 0
        """Windows whose trace was written."""
        self.lost = 0
        """Windows that were due and gave no trace."""
        self._times = WindowTimes()
        self._free_space = FreeSpace()

    @property
    def folder(self) -> Path:
        """The spool folder of this hook."""
        return self._spool.path

    @property
    def recordings(self) -> Path:
        """Where torch writes; what is whole and has its facts goes up to the folder."""
        return self.folder / "recording"

    def descriptors(self) -> tuple[int, ...]:
        """What a process holds the folder by that publishes from it."""
        return self._spool.descriptors

    def has_room(self) -> bool:
        """Whether another window may begin."""
        self._spool.ensure()
        return self._free_space.is_enough(self.folder)

    def keep(self, window: ProfiledWindow, facts: Callable[[], HookFacts]) -> RecordedWindow | None:
        """Write the facts, and then give the trace its place beside them; None where that fails."""
        if window.trace is None:
            self.lose(window.why_lost)
            return None
        self._spool.ensure()
        named = self.folder / self._times.named(window.trace)
        try:
            self._free_space.note(window.trace)
            recorded = RecordedWindow(named, facts())
            window.trace.rename(named)
        except OSError as error:
            let_through(error)
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
        self._spool.leave()

    def forget(self) -> None:
        """In a forked child: everything is its parent's."""
        self._spool.forget()
