"""The border between tbprof and the training that it watches: no fault of ours crosses it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import ParamSpec

__all__ = ["Guard"]

logger = logging.getLogger("tbprof")

P = ParamSpec("P")


class Guard:
    """Runs the hook's own code; its first fault ends the profiling and never the training.

    `KeyboardInterrupt` and `SystemExit` belong to the training and pass.
    """

    def __init__(self, end_profiling: Callable[[], None]) -> None:
        self.fault: Exception | None = None
        """The first exception that was kept from the training."""
        self._end_profiling = end_profiling

    def run(self, action: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call `action`; of what it raises, an `Exception` stays here."""
        try:
            action(*args, **kwargs)
        except Exception as fault:  # noqa: BLE001 - the border to the user's training
            self.note(fault)

    def note(self, fault: Exception) -> None:
        """Log the first fault once, and end the profiling."""
        if self.fault is not None:
            logger.debug("another fault after profiling had ended", exc_info=fault)
            return
        self.fault = fault
        logger.warning("Profiling ends here and the training goes on: %s: %s", type(fault).__name__, fault)
        logger.debug("the fault that ended the profiling", exc_info=fault)
        try:
            self._end_profiling()
        except Exception as second:
            logger.debug("ending the profiling failed as well", exc_info=second)
