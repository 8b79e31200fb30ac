"""What any device could win by being faster, while the host does what it did.

A kernel that takes half the time wins nothing where the device then waits for the host. The host comes
earlier only by what it waited for the device: in its sync points, those of threads that make its batches, and
calls of the driver that may have waited as well, such as a launch onto a full queue or a free of memory. And
the window ends earlier by what the device did after the host's last step.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import overlap_ns, union
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category

OWN_NS = 20_000
"""What a call of the driver takes at most that waits for nothing; a launch takes 5 to 10 us."""


def faster_device_ns(facts: Facts) -> int:
    """At most so much shorter gets the window, were all work of the device done at once."""
    episodes, work, steps = facts.episodes, facts.work, facts.steps
    waits = np.flatnonzero(episodes.blocking & is_among(episodes.lane, facts.training_threads))
    waited_ns = int(episodes.wait_ns[waits].sum())
    inside = steps.index_of(work.launch_start_ns) != NONE
    last = int(work.end_ns[inside].max(initial=int(steps.end_ns.max())))
    behind_ns = last - int(steps.end_ns.max())
    feeding_ns = min(int(episodes.wait_ns[facts.feeds_training].sum()), facts.silent_ns)
    return waited_ns + _may_have_waited_ns(facts, waits) + feeding_ns + behind_ns


def _may_have_waited_ns(facts: Facts, waits: Int64s) -> int:
    """In calls of the driver that are no sync points."""
    slices, episodes = facts.trace.slices, facts.episodes
    calls = np.flatnonzero((slices.category == Category.RUNTIME) & (slices.duration_ns > OWN_NS))
    calls = calls[is_among(slices.lane[calls], facts.training_threads)]
    waiting = union(episodes.start_ns[waits], episodes.end_ns[waits])
    counted = overlap_ns(waiting, slices.start_ns[calls], slices.end_of(calls)) > 0
    calls = calls[~counted & (facts.steps.index_of(slices.start_ns[calls]) != NONE)]
    return int((slices.duration_ns[calls] - OWN_NS).sum())
