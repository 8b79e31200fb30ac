"""How seldom a process of tbprof's own looks for cycles of objects: its records have none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["SELDOM", "ending_process"]

SELDOM = 200_000
"""Objects between two searches. By default they are 700: a hundred searches for a report of a small trace."""


@contextmanager
def ending_process() -> Iterator[None]:
    """For a process that ends with what is done inside: what it leaves is the system's to clear away."""
    gc.set_threshold(SELDOM)
    try:
        yield
    finally:
        # Python would look through all modules for cycles once more.
        gc.freeze()
