"""How seldom a process of tbprof's own looks for cycles of objects, of which it has none, and how it ends."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SELDOM = 200_000
"""Objects between two searches. By default they are 700: a hundred searches for a report of a small trace."""

_MANY = 10_000


@contextmanager
def ending_process() -> Iterator[None]:
    """For a process that ends with what is done inside: what it leaves is the system's to clear away."""
    gc.set_threshold(SELDOM)
    try:
        yield
    finally:
        # Python would look through all modules for cycles once more.
        gc.freeze()


def exit_at_once(code: int) -> None:
    """End the process and leave its memory to the operating system.

    Python would free every module and record one by one, which takes as long as importing thirty modules.
    Where a thread is left this does nothing, as Python is to wait for it, nor under a debugger.
    """
    threading = sys.modules.get("threading")
    is_alone = threading is None or threading.active_count() == 1
    if is_alone and sys.gettrace() is None:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


@contextmanager
def searching_seldom() -> Iterator[None]:
    """For records made by the hundred thousand, which a search each 700 objects would slow by a third.

    It holds for the whole process, which so many objects may fill before its next search. Many that are
    left count as old then, or the first search behind this would be one of all of them.
    """
    before = gc.get_threshold()
    # Of a process that never searches, the first is 0.
    gc.set_threshold(before[0] and max(before[0], SELDOM), *before[1:])
    try:
        yield
    finally:
        if gc.get_count()[0] > _MANY and gc.get_freeze_count() == 0:
            gc.freeze()
            gc.unfreeze()
        gc.set_threshold(*before)
