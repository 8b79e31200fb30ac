"""A file by which a running training is asked for a window: `<run>/tbprof.trigger`."""

from __future__ import annotations

import logging
from pathlib import Path

__all__ = ["TRIGGER_NAME", "Trigger"]

logger = logging.getLogger("tbprof")

TRIGGER_NAME = "tbprof.trigger"

MOST_STEPS = 100
"""Steps that a window can be asked for: its file grows with them."""

_LONGEST_TEXT = 20


class Trigger:
    """Sees a file that was written since the last look; what was there before the run counts as seen.

    The file is only ever read: every rank sees it, and to ask again is to write it again.
    """

    def __init__(self, run_folder: Path) -> None:
        self._path = run_folder / TRIGGER_NAME
        self._seen = self._written_at_ns()

    def asked_steps(self, default: int) -> int | None:
        """The steps that a new file asks for, `default` where it is empty; None without a new one."""
        written = self._written_at_ns()
        if written is None or written == self._seen:
            return None
        self._seen = written
        return self._steps(default)

    def _written_at_ns(self) -> int | None:
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return None

    def _steps(self, default: int) -> int | None:
        try:
            with self._path.open("rb") as file:
                text = file.read(_LONGEST_TEXT).strip()
        except OSError:
            return None
        if not text:
            return default
        if not text.isdigit() or not 0 < int(text) <= MOST_STEPS:
            logger.warning(
                "%s asks for %r; write a number of steps from 1 to %d.", self._path, text, MOST_STEPS
            )
            return None
        return int(text)
