"""What lies outside the window of a recording without marked steps.

Such a window begins with the device's first work and ends with its last (definition 25), so that no idle of
it tells of a program that starts for seconds and computes for milliseconds.
"""

from __future__ import annotations

from tbprof.analysis.arrays.intervals import Intervals, clip, subtract, total_ns, union_of
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass

_MOST = 0.5
"""Of the recording: where less is outside, the window is what was recorded."""


@dataclass(frozen=True, slots=True)
class OutsideWindow:
    recording_ns: int
    """From the first recorded row to the end of the last."""
    before_ns: int
    """Until the device's first work."""
    after_ns: int
    """From the end of its last."""
    data_ns: int
    """The part of both in which the host is in the data loader."""
    loading_ns: int
    """The part of both in first calls, without the data loader."""


def find_outside_window(facts: Facts) -> OutsideWindow | None:
    """None where steps are marked, and where less than half of the recording is outside the window."""
    if facts.steps.recorded:
        return None
    first, last = facts.origin_ns, int(facts.trace.slices.end_ns.max())
    begin, end = int(facts.steps.start_ns[0]), int(facts.steps.end_ns[-1])
    before_ns, after_ns = begin - first, max(last - end, 0)
    if before_ns + after_ns < _MOST * max(last - first, 1):
        return None
    data, loading = facts.causes.states["data"], facts.causes.states["loading"]
    data_outside = _outside(data, first, begin, end, last)
    loading_outside = subtract(_outside(loading, first, begin, end, last), data_outside)
    return OutsideWindow(last - first, before_ns, after_ns, total_ns(data_outside), total_ns(loading_outside))


def _outside(intervals: Intervals, first_ns: int, begin_ns: int, end_ns: int, last_ns: int) -> Intervals:
    return union_of([clip(intervals, first_ns, begin_ns), clip(intervals, end_ns, last_ns)])
