"""Times that stay nested when they are added up as doubles.

The plugin adds start and duration as doubles of microseconds and drops a row that then
ends a billionth behind the one around it. So times with decimals are put on a grid of
1/8192 us, on which sums of doubles are exact up to 2^40 us, 12 days from the copy's first
event. The grid is finer than 1 ns: different instants stay different, and in order.
"""

from __future__ import annotations

import numpy as np

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Slices

_GRID_PER_US = 8192


@dataclass(frozen=True, slots=True)
class ClassicClock:
    """Turns ns of a file's own axis into us of its classic copy, which begins at 0."""

    zero_ns: int
    """A whole number of us."""
    is_whole: bool
    """Whether all times of the file are whole us; they stay so."""

    @classmethod
    def unchanged(cls) -> ClassicClock:
        """The clock of a file whose times stay as they are."""
        return cls(0, is_whole=True)

    @classmethod
    def of(cls, slices: Slices) -> ClassicClock:
        whole = not ((slices.start_ns % 1000).any() or (slices.duration_ns % 1000).any())
        first_ns = int(slices.start_ns.min())
        # One us of room for what was launched before everything else.
        return cls((first_ns // 1000 - 1) * 1000, whole)

    def us(self, instants_ns: Int64s) -> list[float]:
        """The instants in us."""
        since_ns = instants_ns - self.zero_ns
        if self.is_whole:
            return (since_ns // 1000).tolist()  # type: ignore[no-any-return]
        ticks = (since_ns * 1024 + 62) // 125
        return (ticks / np.float64(_GRID_PER_US)).tolist()  # type: ignore[no-any-return]

    def event_us(self, us: float) -> float:
        """An instant of an event that is no row, given in us of the file's axis."""
        whole = int(us // 1)
        ns = whole * 1000 + round((us - whole) * 1000) - self.zero_ns
        return ns // 1000 if self.is_whole else (ns * 1024 + 62) // 125 / _GRID_PER_US

    def instants_us(self, *instants_ns: int) -> list[float]:
        """The same for a few."""
        return self.us(np.array(instants_ns, np.int64))
