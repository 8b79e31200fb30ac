"""How seldom a process of tbprof's own looks for cycles of objects, of which it has none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 200_000
"""Objects between two searches. By default they are 700: a hundred searches for a report of a small trace."""

_MANY = 10_000


@contextmanager
def searching_seldom() -> Iterator[None]:
    """For records made by the hundred thousand, which a search each 700 objects would slow by a third.

    It holds for the whole process, which so many objects may fill before its next search. Many that are
    left count as old then, or the first search after this would be one of all of them.
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
