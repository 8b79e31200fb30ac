"""The windows of one process in its spool: where torch writes them, and which of them are whole."""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from tbprof.hook.hook_config import HookConfig
from tbprof.hook.safety.guard import let_through
from tbprof.hook.spool import TRACE_SUFFIX, SpoolFolder, facts_path
from tbprof.hook.window.window import ProfiledWindow, RecordedWindow
from tbprof.model import HookFacts

LEAST_FREE_BYTES = 100_000_000
"""What must be free before anything is known of the size of windows."""


class FreeSpace:
    """Asks for twice the size of the last window: it is written once by torch and once packed."""

    def __init__(self) -> None:
        self._needed_bytes = LEAST_FREE_BYTES
        self._said = False

    def note(self, trace: Path) -> None:
        """A window took as much as its file."""
        self._needed_bytes = max(LEAST_FREE_BYTES, 2 * trace.stat().st_size)

    def is_enough(self, folder: Path) -> bool:
        """Whether a window may begin in this folder; the first time that it may not is logged.

        Raises:
            OSError: the spool is gone.
        """
        free_bytes = shutil.disk_usage(folder).free
        if free_bytes >= self._needed_bytes:
            return True
        if not self._said:
            self._said = True
            logger.warning(
                "%s has %d MB left and a window may need %d: none is recorded until there is more room.",
                folder,
                free_bytes // 1_000_000,
                self._needed_bytes // 1_000_000,
            )
        return False


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


class WindowTimes:
    """Gives each window of a process a later time than the one before.

    torch names files after the clock; where that stands still, or goes back as after a virtual
    machine was moved, a window would take the place of an earlier one.
    """

    def __init__(self) -> None:
        self._latest_ns = 0

    def named(self, written: Path) -> str:
        """The name for a file that torch called `<worker>.<ns>.pt.trace.json`."""
        worker, _, clock_ns = written.name.removesuffix(TRACE_SUFFIX).rpartition(".")
        self._latest_ns = max(int(clock_ns), self._latest_ns + 1)
        return f"{worker}.{self._latest_ns}{TRACE_SUFFIX}"
