"""Waits that are no fault of the program, and waits that keep it in step.

Waits of side threads and of the profiler are none of these: they win nothing, or are no sync
points at all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.rules.base.enclosing_ranges import in_ranges
from tbprof.trace.columns.arrays import NONE, Int64s

_COMPILING = r"entire_frame_compile|_compile\.compile_inner|.*\(dynamo_timed\)|dynamo_data: "
"""Ranges of torch.compile at work, as torch 2.4 to 2.13 name them."""


def are_benign(facts: Facts, members: Int64s) -> bool:
    """Whether all these episodes wait for what was before the window, for the compiler, or for its end.

    A synchronize behind the last launch of a window holds up nothing. One before the first launch of the
    first step awaits what was launched before it. So does a wait of the first step that is more than half
    unexplained: those kernels are not recorded. A compiled region syncs while it is being compiled, and
    not again.
    """
    benign = _before_the_window(facts) | in_ranges(facts, _COMPILING) | _before_nothing(facts)
    return bool(np.all(benign[members]))


def are_throttle(facts: Facts, members: Int64s) -> bool:
    """Whether each of these episodes is the only sync point of the training in its step.

    Such a wait keeps the host from running ahead without end, which is a legitimate thing to want. One
    that is more than half unexplained does not wait for the device, and keeps nobody in step: the host
    copies pageable memory of its own meanwhile, say.
    """
    points = facts.can_be_won
    per_step = np.bincount(facts.episodes.step[points], minlength=len(facts.steps))
    step = facts.episodes.step[members]
    if not facts.steps.recorded or not points[members].all():
        return False
    explained = int(facts.awaited.explained_ns[members].sum())
    return bool(np.all(per_step[step] == 1)) and 2 * explained >= int(facts.net_wait_ns[members].sum())


def _before_the_window(facts: Facts) -> npt.NDArray[np.bool_]:
    episodes = facts.episodes
    if not facts.steps.recorded:
        return np.zeros(len(episodes.step), np.bool_)
    unexplained = 2 * (facts.net_wait_ns - facts.awaited.explained_ns) > facts.net_wait_ns
    launched = facts.work.launch_start_ns[facts.work.launch != NONE]
    inside = launched[launched >= facts.steps.start_ns[0]]
    at_first = ~episodes.is_copy & (episodes.start_ns < inside.min(initial=np.iinfo(np.int64).max))
    early: npt.NDArray[np.bool_] = episodes.blocking & (episodes.step == 0)
    before: npt.NDArray[np.bool_] = early & (unexplained | at_first)
    return before


def _before_nothing(facts: Facts) -> npt.NDArray[np.bool_]:
    """Whether each episode is a synchronize after which nothing was launched any more."""
    work = facts.work
    launched = work.launch_start_ns[work.launch != NONE]
    last = int(launched.max(initial=np.iinfo(np.int64).min))
    found: npt.NDArray[np.bool_] = ~facts.episodes.is_copy & (facts.episodes.start_ns >= last)
    return found & (len(launched) > 0)
