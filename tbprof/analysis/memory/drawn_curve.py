"""A part of a curve with no more values than can be seen."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.memory.curves import MemoryCurve
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s

MOST_VALUES = 2_000
"""About one a pixel of a wide screen."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCurve:
    """Each value holds from its instant to the next one, in ns."""

    at_ns: Int64s
    low_bytes: Int64s
    high_bytes: Int64s
    """Of the events that lie too close to be told apart; equal to the lowest where none do."""
    reserved_bytes: Int64s | None
    """The highest of these."""


def drawn_curve(curve: MemoryCurve, from_ns: int, to_ns: int) -> DrawnCurve:
    """From what was there at `from_ns` to the last event up to `to_ns`; before the first as after it."""
    first, last = np.searchsorted(curve.time_ns, [from_ns, to_ns], side="right").tolist()
    if last - first <= MOST_VALUES:
        # The event before the part says what was there as it began.
        shown = np.arange(max(first - 1, 0), max(last, 1))
        at_ns = np.maximum(curve.time_ns[shown], from_ns)
        at_ns[0] = from_ns
        values = curve.allocated_bytes[shown]
        reserved = None if curve.reserved_bytes is None else curve.reserved_bytes[shown]
        return DrawnCurve(at_ns, values, values, reserved)
    edges = np.linspace(from_ns, to_ns, MOST_VALUES + 1).astype(np.int64)[:-1]
    begins = np.clip(np.searchsorted(curve.time_ns, edges, side="right") - 1, 0, len(curve.time_ns) - 1)
    # A bucket begins with the event before it; one that has no event of its own is that event alone.
    ends = np.append(begins[1:] + 1, last)
    bounds = np.stack([begins, np.maximum(ends, begins + 1)], axis=1).reshape(-1)
    return DrawnCurve(
        at_ns=edges,
        low_bytes=_reduced(np.minimum, curve.allocated_bytes, bounds),
        high_bytes=_reduced(np.maximum, curve.allocated_bytes, bounds),
        reserved_bytes=None
        if curve.reserved_bytes is None
        else _reduced(np.maximum, curve.reserved_bytes, bounds),
    )


def _reduced(reduce: np.ufunc, values: Int64s, bounds: Int64s) -> Int64s:
    """Over each pair of bounds; the last bound may be the end of the values."""
    found: Int64s = reduce.reduceat(np.append(values, values[-1]), bounds)[::2]
    return found
