"""What a host wins at most that need not do some of its work.

It comes earlier by no more than that work took, and what it gains is worth no more than the time in which
the device could have been busier (`fillable`). As with waits, both are taken apart for each stretch between
two waits that let the device run dry: at their return the host is ahead of what was recorded by no more than
the device is. A free of memory is such a wait, unless it is spared itself. Where that idle lies does not
matter: code that is launched late delays what comes after it.
First calls, in which kernels are loaded, are spared to nobody: other code makes its own.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, overlap_ns, subtract
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE

_FIRST_NS, _LAST_NS = -(2**62), 2**62


def earlier_host_ns(facts: Facts, spared: Intervals) -> int:
    """At most so much shorter gets the window, were the host spared this time."""
    spared = subtract(spared, facts.causes.states["loading"])
    if len(spared) == 0 or not facts.device_is_known:
        return 0
    waits = facts.replay.waits
    is_spared = (waits.episode == NONE) & (overlap_ns(spared, waits.start_ns, waits.end_ns) > 0)
    ends = np.sort(waits.end_ns[waits.drains & ~is_spared], kind="stable")
    begin, until = np.append(_FIRST_NS, ends), np.append(ends, _LAST_NS)
    spared_ns = overlap_ns(spared, begin, until)
    next_one = np.minimum(np.searchsorted(spared.end_ns, begin, side="right"), len(spared) - 1)
    since = np.where(begin == _FIRST_NS, begin, np.maximum(begin, spared.start_ns[next_one]))
    fillable_ns = overlap_ns(facts.fillable, np.minimum(since, until), until)
    return int(np.minimum(spared_ns, fillable_ns).sum())
