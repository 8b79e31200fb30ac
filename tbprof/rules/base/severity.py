"""How bad a finding is: the share of a median warm step that fixing it wins.

By the estimate; without one by the ceiling where that is the idle of the finding's own cause or a
transfer that nothing hides, and for waits by the floor, while their ceiling alone gives at most medium: a
wait is not a cost. A finding is info where a host that comes earlier could fill hardly anything, or
nothing can be won. The shares at which the classes begin are in `tbprof.model.findings`.

Waits that are no fault of the program, and waits that keep it in step.

Waits of side threads and of the profiler are none of these: they win nothing, or are no sync
points at all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import mostly_captured
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import saving_of
from tbprof.model import MEDIUM_SHARE, SEVERITIES, Saving, Severity, severity_of_share
from tbprof.rules.base.launching import in_ranges
from tbprof.trace.columns.arrays import NONE, Int64s, median

PACING_SHARE = 0.01
"""With less time to fill than this part of the steps, the host's waits only pace the device."""


def severity_of(facts: Facts, saving: Saving) -> Severity:
    total = facts.steps.total_ns
    if total == 0 or facts.fillable_ns < PACING_SHARE * total:
        return "info"
    return _class_of(facts, saving)


def severity_of_cause(facts: Facts, saving: Saving) -> Severity:
    """The class of a saving whose ceiling is the idle of one cause; a graph is captured once."""
    total = facts.steps.total_ns
    if total == 0 or facts.fillable_ns < PACING_SHARE * total or mostly_captured(facts.trace) is not None:
        return "info"
    return severity_of_transfer(facts, saving)


def severity_of_transfer(facts: Facts, saving: Saving) -> Severity:
    """The class of a saving of copies that nothing hides: it counts beside a device that never runs dry."""
    if saving.ceiling_ns == 0:
        return "info"
    return severity_of_share(_share_of_step(facts, saving.ceiling_ns))


def _class_of(facts: Facts, saving: Saving) -> Severity:
    if saving.ceiling_ns == 0:
        return "info"
    if saving.estimate_ns is not None:
        return severity_of_share(_share_of_step(facts, saving.estimate_ns))
    by_floor, by_ceiling = (
        severity_of_share(_share_of_step(facts, ns)) for ns in (saving.floor_ns, saving.ceiling_ns)
    )
    capped: Severity = "medium" if by_ceiling in ("critical", "high") else by_ceiling
    return min(by_floor, capped, key=SEVERITIES.index)


def severity_of_waits(facts: Facts, members: npt.NDArray[np.int64], saving: Saving) -> Severity:
    """The class of a finding about these episodes: info as well where none of them is to blame.

    So it is with what waits for the compiler or for work from before the window, and with the only
    wait of a step while it is not seen to cost `MEDIUM_SHARE`. No class is worse than that of the same
    waits if they just went.
    """
    if are_benign(facts, members):
        return "info"
    known = saving.floor_ns if saving.estimate_ns is None else saving.estimate_ns
    if are_throttle(facts, members) and _share_of_step(facts, known) < MEDIUM_SHARE:
        return "info"
    # Where something comes in the place of a wait, less is won than by its going.
    gone = saving_of(facts, members, "drop")
    return max(severity_of(facts, saving), severity_of(facts, gone), key=SEVERITIES.index)


def _share_of_step(facts: Facts, saving_ns: int) -> float:
    """What all steps win, as a part of as many median warm ones."""
    duration = facts.steps.duration_ns
    warm = duration[~np.array(facts.steps.cold)]
    return saving_ns / len(facts.steps) / max(median(warm), 1.0)


_COMPILING = r"entire_frame_compile|_compile\.compile_inner|.*\(dynamo_timed\)|dynamo_data: "
"""Ranges of torch.compile at work, as torch 2.4 to 2.13 name them."""


def are_benign(facts: Facts, members: Int64s) -> bool:
    """Whether all these episodes wait for what was before the window, for the compiler, or for its end.

    A sync call after the last launch of a window holds up nothing. One before the first launch of the
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
    """Whether each episode is a sync call after which nothing was launched any more."""
    work = facts.work
    launched = work.launch_start_ns[work.launch != NONE]
    last = int(launched.max(initial=np.iinfo(np.int64).min))
    found: npt.NDArray[np.bool_] = ~facts.episodes.is_copy & (facts.episodes.start_ns >= last)
    return found & (len(launched) > 0)
