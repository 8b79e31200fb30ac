r"""Work that begins only once the host waits for it, on a device that is free.

Drivers of Windows, and those under WSL, collect launches and submit them together, at the latest when the
host waits: each wait then pays for it, and fewer waits win that back, though work was queued meanwhile. A
device that is shared with another process is mostly late at any time. Which of them it is, only the paths of
the program tell: `C:\train.py`, or `/mnt/c` and `/usr/lib/wsl` under WSL.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.device_idle import IdlePieces
from tbprof.analysis.episodes import Episodes
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, subtract, total_ns, union
from tbprof.analysis.names import matching_names
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import Int64s, is_among
from tbprof.trace.columns.columns import Trace

_LONG_NS = 100_000
"""A launch onto a free device begins within 10 us."""
_SEVERAL = 5
_MOST = 2 / 3
_MUCH = 0.1
"""The share of the steps from which it is worth a word."""
_OF_WINDOWS = r"[A-Za-z]:[\\/]|[^()\s]+\\[^()]*\.pyw?\(\d|/mnt/(?:wsl|[a-z])/|/usr/lib/wsl/|\\\\wsl"
"""Files of Python, as frames name them."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldBack:
    idle: Intervals
    """The device free and work queued, while the host waits."""
    waits: Int64s
    """The episodes in which that lasts."""
    held_ns: Int64s
    """How long, in each of them."""


def find_held_back(
    idle: IdlePieces, episodes: Episodes, lanes: tuple[int, ...], device: int, steps_ns: int
) -> HeldBack | None:
    """None where work is hardly ever late, or late at other times, too.

    Args:
        idle: Of all devices.
        episodes: Of the window.
        lanes: Those of the training threads.
        device: The busiest one.
        steps_ns: How long the steps take together.
    """
    queued = subtract(idle.gaps[device], idle.empty[device])
    queued_ns = total_ns(queued)
    if queued_ns < max(_MUCH * steps_ns, 1):
        return None
    waits = np.flatnonzero(episodes.blocking & is_among(episodes.lane, lanes))
    start_ns, end_ns = episodes.start_ns[waits], episodes.end_ns[waits]
    held_ns = overlap_ns(queued, start_ns, end_ns)
    inside = intersect(queued, union(start_ns, end_ns))
    is_long = held_ns >= _LONG_NS
    if is_long.sum() < _SEVERAL or total_ns(inside) < _MOST * queued_ns:
        return None
    return HeldBack(inside, waits[is_long], held_ns[is_long])


def shows_windows(trace: Trace) -> bool:
    """Whether the program ran on Windows, or under WSL; False where its paths do not tell."""
    return bool(matching_names(trace, _OF_WINDOWS).any())
