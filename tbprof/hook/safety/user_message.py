"""A line that the person who trains sees, whether or not the program has set up logging."""

from __future__ import annotations

import logging
import os

logger = logging.getLogger("tbprof")

QUIET_VARIABLE = "TBPROF_QUIET"
"""A variable of the environment: set to anything but 0, no such line is shown."""

_FORM = "tbprof: %(message)s"


def say(text: str, *values: object) -> None:
    """Hand a line to the program's own handlers, once; on stderr where it has none.

    It is a result that was asked for, and no warning. So it passes a root logger that was left at
    WARNING, and not one of the name `tbprof` that was set to it.
    """
    if _is_silenced():
        return
    line = logger.makeRecord(logger.name, logging.INFO, __file__, 0, text, values, None, func="say")
    if _has_other_handlers():
        logger.handle(line)
    else:
        stderr_handler().handle(line)


def stderr_handler() -> logging.Handler:
    """What gives lines their form where the program has no handler of its own for them."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter(_FORM))
    return handler


def _is_silenced() -> bool:
    is_quiet = os.environ.get(QUIET_VARIABLE, "0") not in ("", "0")
    is_off = logger.disabled or logger.level > logging.INFO or logger.manager.disable >= logging.INFO
    return is_quiet or is_off


class _LastResort(logging.Handler):
    """Shows warnings where nobody else does, as Python would, and with our name before them."""

    def emit(self, record: logging.LogRecord) -> None:
        # A program that took Python's own away wants none.
        if logging.lastResort is not None and not _has_other_handlers():
            stderr_handler().handle(record)


_LAST_RESORT = _LastResort(logging.WARNING)


def _has_other_handlers() -> bool:
    """Whether the program, or `tbprof run`, shows our lines."""
    if any(handler is not _LAST_RESORT for handler in logger.handlers):
        return True
    return logger.propagate and logger.parent is not None and logger.parent.hasHandlers()


logger.addHandler(_LAST_RESORT)
