"""Whether the spool has room for another window."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

logger = logging.getLogger("tbprof")

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
