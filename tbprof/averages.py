"""Averages as `statistics` has them: to import that takes as long as to print a small report."""

from __future__ import annotations

import math
from collections.abc import Iterable


def fmean(values: Iterable[float]) -> float:
    """The mean of at least one value, rounded once, so that their order does not matter."""
    known = [*values]
    return math.fsum(known) / len(known)


def median(values: Iterable[float]) -> float:
    """The middle one of at least one value, or the mean of the middle two."""
    known = sorted(values)
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2
