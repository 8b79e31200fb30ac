"""What removing waits can win: floor, estimate and ceiling.

The ceiling is the smaller of the waits on the training threads and the time that a host which
comes earlier could fill (`fillable`): a wait is not a cost. It is taken apart for each stretch between two
waits that stay and let the device run dry, as frees of memory do. At their return the host is ahead of what
was recorded by no more than the device is, so that nothing it had gained besides helps any later.
Waits of threads that make the batches count with what the training may have stood for them.
Where the line that waits goes, or is written differently, the rest of the call that waited goes as well:
where the host was the limit, a mask that waited 13 us won 61, of the 126 us of its `aten::index` (an H200).
What is only read later is copied all the same. Without the profiler a wait may be longer than recorded
(`replay`), and the longer one counts.
The floor is what the device is seen to stay dry after the waits, less what the profiler added to it. The
estimate replays the window without them; where the replay does not reproduce the window there is none.

What a host wins at most that need not do some of its work.

It comes earlier by no more than that work took, and what it gains is worth no more than the time in which
the device could have been busier (`fillable`). As with waits, both are taken apart for each stretch between
two waits that let the device run dry: at their return the host is ahead of what was recorded by no more than
the device is. A free of memory is such a wait, unless it is spared itself. Where that idle lies does not
matter: code that is launched late delays what comes after it.
First calls, in which kernels are loaded, are spared to nobody: other code makes its own.

What any device could win by being faster, while the host does what it did.

A kernel that takes half the time wins nothing where the device then waits for the host. The host comes
earlier only by what it waited for the device: in its sync points, those of threads that make its batches, and
calls of the driver that may have waited as well, such as a launch onto a full queue or a free of memory. And
the window ends earlier by what the device did after the host's last step.

What the fix plan wins of each step: floor, estimate and ceiling.

A step's figures are about the waits that begin in it, wherever the time that they win falls: a
host that waits less in one step is ahead in the next, and the next may be the one that is short of
work. So the ceiling of a step is its waits, its length, or what a host can fill from its start to the end
of the window, whichever is least; alone it may be all of the window's. The estimate gives each step its part
of the window's, by what the host gains in it when the window is replayed.

In which order fixing pays most, and what each fix adds to those before it.

Two waits can hide each other: the second is worth nothing until the first is gone. So the plan
takes the fix that wins most, then the one that wins most beside it, and so on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from tbprof.analysis.copy_kinds import DIRECTIONS
from tbprof.analysis.facts import Facts
from tbprof.analysis.intervals import Intervals, overlap_ns, subtract, union
from tbprof.analysis.names import match
from tbprof.model import REPLAYED, Removal, Saving
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category


def earlier_host_ns(facts: Facts, spared: Intervals, gone: Int64s | None = None) -> int:
    """At most so much shorter gets the window, were the host spared this time, and did not wait in the
    episodes at the positions `gone`.
    """
    spared = subtract(spared, facts.causes.states["loading"])
    if len(spared) == 0 or not facts.device_is_known:
        return 0
    waits = facts.replay.waits
    is_spared = (waits.episode == NONE) & (overlap_ns(spared, waits.start_ns, waits.end_ns) > 0)
    is_spared |= False if gone is None else is_among(waits.episode, gone)
    ends = np.sort(waits.end_ns[waits.drains & ~is_spared], kind="stable")
    begin, until = np.append(_FIRST_NS, ends), np.append(ends, _LAST_NS)
    spared_ns = overlap_ns(spared, begin, until)
    next_one = np.minimum(np.searchsorted(spared.end_ns, begin, side="right"), len(spared) - 1)
    since = np.where(begin == _FIRST_NS, begin, np.maximum(begin, spared.start_ns[next_one]))
    fillable_ns = overlap_ns(facts.fillable_by_launches, np.minimum(since, until), until)
    return int(np.minimum(spared_ns, fillable_ns).sum())


_FIRST_NS, _LAST_NS = -(2**62), 2**62
"""Before and after all instants (ns since 1970), and so that a difference to one of those fits int64."""


def saving_of(facts: Facts, chosen: Int64s, removal: Removal, hoisted: Int64s | None = None) -> Saving:
    """The three figures for the episodes at these positions: floor <= estimate <= ceiling.

    The estimate is clamped to the ceiling, and then the floor to the estimate. `hoisted` are those of them
    whose lines leave the step; where that is the removal, all do.
    """
    won = distinct(chosen[facts.can_be_won[chosen]])
    held_ns = _held_ns(facts, won, removal)
    ceiling = min(_within_stretches_ns(facts, won, held_ns) + _feeding_ns(facts, chosen), facts.fillable_ns)
    floor = min(_dry_ns(facts, won), ceiling)
    is_told = facts.is_replayable and (len(won) > 0 or ceiling == 0)
    if removal not in REPLAYED or not is_told:
        return Saving(floor_ns=floor, estimate_ns=None, ceiling_ns=ceiling)
    lines = spared_by(facts, chosen if removal == "hoist" else hoisted)
    estimate = min(facts.replay.saving_ns(won, lines), ceiling) if ceiling else 0
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)


LINE_NS = 20_000
"""What Python takes for a line besides the call in it, which no row shows: explicit synchronizes of
the fitted programs won 16 to 33 us more than they waited, on an H200."""


def _dry_ns(facts: Facts, won: Int64s) -> int:
    return int(facts.starve_ns[won].sum() * (1 - facts.replay.added_share)) if len(won) else 0


def _held_ns(facts: Facts, won: Int64s, removal: Removal) -> Int64s:
    """How long each of these held up the host at most: its wait and what goes with it."""
    if len(won) == 0:
        return won
    longer = facts.replay.longer_waits_ns
    held_ns = facts.episodes.wait_ns[won] + np.array([longer.get(at, 0) for at in won.tolist()], np.int64)
    if removal == "defer":
        return held_ns
    row, start_ns, end_ns = facts.once(_waiting_ops)
    duration_ns = end_ns - start_ns - overlap_ns(facts.causes.states["loading"], start_ns, end_ns)
    _, first, op = np.unique(row[won], return_index=True, return_inverse=True)
    waited_ns = np.bincount(op, facts.episodes.wait_ns[won]).astype(np.int64)
    held_ns[first] += np.maximum(duration_ns[won[first]] - waited_ns, 0)
    return held_ns + LINE_NS


def spared_by(facts: Facts, hoisted: Int64s | None) -> Intervals:
    """What the host need not do where the lines of these episodes are moved out of the step."""
    chosen = np.empty(0, np.int64) if hoisted is None else hoisted[facts.can_be_won[hoisted]]
    _, start_ns, end_ns = facts.once(_waiting_ops)
    lines = union(start_ns[chosen], np.maximum(end_ns[chosen], start_ns[chosen]))
    return subtract(lines, facts.causes.states["loading"])


def _waiting_ops(facts: Facts) -> tuple[Int64s, Int64s, Int64s]:
    """For each episode the outermost of torch's own ops around it, `NONE` without one, its start and its end.

    Ops of autograd and of libraries hold much besides the line that waits. The start is that of the making of
    what is uploaded; without an op both are 0.
    """
    calls, first, slices = facts.calls, facts.episodes.first, facts.trace.slices
    is_own = match(facts.trace, calls.ops.rows, r"aten::")
    row, position = np.full(len(first), NONE, np.int64), calls.op[first]
    while (inside := np.flatnonzero(position != NONE)).size:
        own = inside[is_own[position[inside]]]
        row[own] = calls.ops.rows[position[own]]
        position = calls.ops.enclosing(position, calls.end_ns[first])
    start_ns, end_ns = slices.start_ns[row], slices.end_of(row)
    start_ns = np.where(facts.episodes.direction == _UPLOAD, _made_from_ns(facts, row), start_ns)
    return row, np.where(row == NONE, 0, start_ns), np.where(row == NONE, 0, end_ns)


_UPLOAD = DIRECTIONS.index("HtoD")


def _made_from_ns(facts: Facts, row: Int64s) -> Int64s:
    """When the making began of what each of these ops uploads, or else the op itself.

    Torch reads a list into an empty tensor, item by item, and lifts it: 1.1 ms for 8,192 items, in which the
    classifier of tests/bench/repaired_stages.md has no row.
    """
    tops, start_ns = facts.top_ops, facts.trace.slices.start_ns
    if len(tops) == 0:
        return start_ns[row]
    order = np.argsort(tops.rows)
    at = order[np.minimum(np.searchsorted(tops.rows[order], row), len(order) - 1)]
    is_between = match(facts.trace, tops.rows, r"aten::(?:to|lift_fresh|detach_?)$")
    before = at - 1
    for _ in range(_LIFTS):
        before = np.where(is_between[before] & (before > 0), before - 1, before)
    begins = match(facts.trace, tops.rows, r"aten::empty$")[before] & (before >= 0)
    is_made = begins & (tops.rows[at] == row) & (tops.lane[before] == tops.lane[at])
    return np.where(is_made, start_ns[tops.rows[before]], start_ns[row])


_LIFTS = 2
"""Ops between the empty tensor of a list and its upload."""


def _within_stretches_ns(facts: Facts, won: Int64s, held_ns: Int64s) -> int:
    """For each stretch, what the waits that begin in it held up, or what can be filled from the first on.

    In the first stretch all that can be filled counts: steps before the window win by the same change.
    """
    if len(won) == 0:
        return 0
    waits, episodes = facts.replay.waits, facts.episodes
    ends = np.sort(waits.end_ns[waits.drains & ~is_among(waits.episode, won)], kind="stable")
    in_order = np.argsort(episodes.start_ns[won], kind="stable")
    won, held_ns = won[in_order], held_ns[in_order]
    stretch = np.searchsorted(ends, episodes.start_ns[won], side="right")
    first = np.flatnonzero(np.diff(stretch, prepend=-1))
    held = np.add.reduceat(held_ns, first)
    begin, until = np.append(_FIRST_NS, ends)[stretch[first]], np.append(ends, _LAST_NS)[stretch[first]]
    earlier_ns = (held_ns - episodes.wait_ns[won])[first]
    since = np.where(begin == _FIRST_NS, begin, np.maximum(begin, episodes.start_ns[won[first]] - earlier_ns))
    return int(np.minimum(held, overlap_ns(facts.fillable, since, until)).sum())


def _feeding_ns(facts: Facts, chosen: Int64s) -> int:
    feeding = chosen[facts.feeds_training[chosen]]
    waits_ns = int(facts.episodes.wait_ns[feeding].sum())
    return min(waits_ns, facts.silent_ns) if waits_ns else 0


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


def step_savings(
    facts: Facts, planned: Int64s, window: Saving, hoisted: Int64s | None = None
) -> list[Saving]:
    """One bracket a step, floor <= estimate <= ceiling.

    Args:
        facts: Of the window.
        planned: Positions of the episodes that the fix plan removes.
        window: What it wins of the window; without an estimate no step has one.
        hoisted: Those of the episodes whose lines it moves out of the step.
    """
    if not facts.device_is_known:
        return [Saving(0, None, 0)] * len(facts.steps)
    won = np.flatnonzero(facts.can_be_won)
    removed = planned[facts.can_be_won[planned]]
    held_up = np.flatnonzero(facts.can_be_won | facts.feeds_training)
    held_ns = facts.episodes.wait_ns.copy()
    held_ns[won] = _held_ns(facts, won, "needed")
    waits = _by_step(facts, held_up, held_ns)
    # Waits of several threads add.
    most = np.minimum(waits, facts.steps.end_ns - facts.steps.start_ns)
    ceiling = np.minimum(most, _fillable_from(facts))
    dry = removed if window.estimate_ns is not None else won
    kept_share = 1 - facts.replay.added_share
    dry_ns = (_by_step(facts, dry, facts.starve_ns) * kept_share).astype(np.int64)
    floor = np.minimum(dry_ns, ceiling)
    if window.estimate_ns is None:
        return [Saving(f, None, c) for f, c in zip(floor.tolist(), ceiling.tolist(), strict=True)]
    estimate = np.minimum(
        _shared_out(facts.replay.gained_ns(removed, spared_by(facts, hoisted)), window.estimate_ns), ceiling
    )
    floor = np.minimum(floor, estimate)
    figures = zip(floor.tolist(), estimate.tolist(), ceiling.tolist(), strict=True)
    return [Saving(f, e, c) for f, e, c in figures]


def _by_step(facts: Facts, chosen: Int64s, values: Int64s) -> Int64s:
    total = np.zeros(len(facts.steps), np.int64)
    np.add.at(total, facts.episodes.step[chosen], values[chosen])
    return total


def _fillable_from(facts: Facts) -> Int64s:
    """For each step what a host that is earlier from its start on can fill."""
    start = facts.steps.start_ns
    return overlap_ns(facts.fillable, start, np.full(len(start), int(facts.steps.gpu_end_ns.max())))


def _shared_out(gained_ns: Int64s, total_ns: int) -> Int64s:
    """The total in the proportions of what was gained; nothing where nothing was."""
    shares: Int64s = gained_ns * total_ns // max(int(gained_ns.sum()), 1)
    return shares


MAX_WEIGHED = 8
"""Fixes that are weighed against each other; each more costs as many replays as there are."""


@dataclass(frozen=True, slots=True)
class PlannedFix:
    candidate: int
    """Index into the candidates."""
    adds_ns: int
    total_ns: int
    ceiling_ns: int
    """The ceiling of this fix and those before it."""


def fix_plan(
    facts: Facts, candidates: Sequence[Int64s], hoisting: Collection[int] = ()
) -> tuple[PlannedFix, ...]:
    """Greedy order of the candidates, each the positions of the episodes that it removes.

    `hoisting` are the indices of those that move the lines of theirs out of the step.

    The first `MAX_WEIGHED` are weighed against each other; those beyond follow in the order in which
    they are named, each with what it adds. Empty where the replay does not reproduce the window. The
    totals stay within their ceilings.
    """
    if not candidates or not facts.is_replayable:
        return ()
    left = list(range(len(candidates)))
    gone, total, plan = np.empty(0, np.int64), 0, []
    hoisted = np.empty(0, np.int64)

    def with_lines(at: int) -> Int64s:
        return distinct(np.concatenate([hoisted, candidates[at]])) if at in hoisting else hoisted

    while left:
        weighed = [at for at in left if at < MAX_WEIGHED] or left[:1]
        savings = {at: _together(facts, gone, candidates[at], with_lines(at)) for at in weighed}
        best = max(weighed, key=lambda at: (savings[at][0], -at))
        saving, ceiling = savings[best]
        reached = max(saving, total)
        plan.append(PlannedFix(best, reached - total, reached, ceiling))
        gone, total, hoisted = distinct(np.concatenate([gone, candidates[best]])), reached, with_lines(best)
        left.remove(best)
    return tuple(plan)


def window_saving(facts: Facts, plan: Sequence[PlannedFix], planned: Int64s) -> Saving:
    """The three figures of the window: the plan's, under the ceiling of all its waits.

    Args:
        facts: Of the window.
        plan: Its fixes in order, or none; then there is no estimate.
        planned: Positions of the episodes that the plan removes.
    """
    everything = saving_of(facts, np.arange(len(facts.episodes.first)), "needed")
    if not plan:
        return everything
    ceiling = everything.ceiling_ns
    estimate = min(plan[-1].total_ns, ceiling)
    floor = saving_of(facts, planned, "needed").floor_ns
    return Saving(floor_ns=min(floor, estimate), estimate_ns=estimate, ceiling_ns=ceiling)


def _together(facts: Facts, gone: Int64s, candidate: Int64s, hoisted: Int64s) -> tuple[int, int]:
    """What removing these episodes as well wins in all, and its ceiling."""
    saving = saving_of(facts, distinct(np.concatenate([gone, candidate])), "drop", hoisted)
    return saving.estimate_ns or 0, saving.ceiling_ns
