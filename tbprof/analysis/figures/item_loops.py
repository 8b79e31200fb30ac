"""Loops over items: a host thread that asks the same of the device turn after turn.

What a thread asks of the device is a sequence of calls: ops that launch or wait, and what it launches or
waits for outside of ops. Views come and go between them and do not count. A call that comes once a turn cuts
the sequence into turns; two are alike where most calls of the shorter one are in the other too, in whatever
order, so that a turn may branch. Of all calls the one counts whose turns hold most of the sequence.

Not every repetition is a loop over items. Layers and cells of a network, batches and decoded tokens multiply
matrices in each turn; of such turns only those are taken that also wait for what they select on the
device, and do not normalize, as the experts of a layer do. What goes on in an optimizer, a backward pass, a
data loader or compiled code is no such loop, nor what any of these lies in; nor what keeps the device busy
for half of its time, as batches do. What is left waits in its turns, or takes its items out of a tensor.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.thread_calls import ThreadCalls, calls_of_thread
from tbprof.analysis.intervals import (
    NEVER,
    Intervals,
    intersect,
    overlap_ns,
    total_ns,
    union,
    union_of,
)
from tbprof.model import MEDIUM_SHARE
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among, median
from tbprof.trace.columns.columns import Category, Trace

TURNS = 8
"""Fewer turns are no loop."""

_TURNS_AT_ONCE = 4
"""Where its turns wait, a loop may go on in several places, as one over the experts of each layer does."""

_CALLS = 64
"""The calls of a turn at most."""

_ANCHORS, _BODIES = 24, 6
"""How many calls are tried as the one that begins a turn, and how many loops of a thread are looked for."""

_ALIKE, _LENGTHS = 0.75, 4
"""The part of the calls of the shorter turn that are in the other, which is at most so many times longer."""

_COMPUTES_NS = 200_000
"""The length from which on an operator that launches nothing computes; a shorter one may be overhead."""

_MOST = 0.5
"""The part of the turns that have something if the loop has it."""


@dataclass(frozen=True, slots=True, eq=False)
class ItemLoop:
    """One loop, in all places where it goes on."""

    turns: int
    lane: int
    forward: Intervals
    """The time from the first call of its turns to the end of the last."""
    during: Intervals
    """The same, and what autograd does later for what is called in it."""
    work: Int64s
    """Positions of what it launches."""
    selects: bool
    """Whether its turns take items out of a tensor, and most wait or select by a mask or an index; else each
    may need what the one before it found, as in a scan."""
    calls: tuple[str, ...]
    """What most turns ask of the device, in their order: names of ops, or of kernels without one."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Turns that follow one another, as positions in `ThreadCalls`."""

    first: int
    end: int
    turns: int


@dataclass(frozen=True, slots=True, eq=False)
class _ByTime:
    """Values by their instants, for the search of what lies in some time."""

    at_ns: Int64s
    """Ascending."""
    value: Int64s

    @classmethod
    def of(cls, at_ns: Int64s, value: Int64s) -> _ByTime:
        order = np.argsort(at_ns, kind="stable")
        return cls(at_ns[order], value[order])

    def within(self, during: Intervals) -> Int64s:
        first, end = (np.searchsorted(self.at_ns, ns) for ns in (during.start_ns, during.end_ns))
        return np.concatenate([self.value[:0], *map(self.value.__getitem__, map(slice, first, end))])


@dataclass(frozen=True, slots=True, eq=False)
class _Autograd:
    """The numbers of the ops of a thread that autograd goes back through, and what it runs for each."""

    forward: _ByTime
    number: Int64s
    """Ascending, as many as rows."""
    start_ns: Int64s
    end_ns: Int64s


def find_item_loops(facts: Facts) -> tuple[ItemLoop, ...]:
    """All loops of the threads of the training, longest first."""
    if not facts.calls_are_recorded:
        return ()
    found = [loop for lane in facts.training_threads for loop in _loops_of(facts, lane)]
    late = [loop for loop in found if device_ns(facts, loop) < _MOST * total_ns(loop.during)]
    return tuple(sorted(late, key=lambda loop: -total_ns(loop.during)))


def costly_loops(facts: Facts) -> tuple[ItemLoop, ...]:
    """The loops in which the device is idle for so much of the steps that it is worth a word."""
    least_ns = max(MEDIUM_SHARE * facts.steps.total_ns, 1)
    if not facts.device_is_known:
        return ()
    long = (loop for loop in facts.once(find_item_loops) if total_ns(loop.during) >= least_ns)
    costly = (loop for loop in long if idle_ns(facts, loop) >= least_ns)
    return tuple(loop for loop in costly if not _computes_on_host(facts, loop))


def _computes_on_host(facts: Facts, loop: ItemLoop) -> bool:
    """Whether long operators of the CPU hold most of that idle: all items at once take them as long."""
    ops, slices = facts.top_ops, facts.trace.slices
    rows = ops.rows[(ops.kernels == 0) & (slices.duration_ns[ops.rows] >= _COMPUTES_NS)]
    idle = intersect(facts.once(idle_in_steps), loop.during)
    return total_ns(intersect(idle, union(slices.start_ns[rows], slices.end_of(rows)))) > _MOST * total_ns(
        idle
    )


def in_costly_loops(facts: Facts) -> Intervals:
    """When the host is in one of those."""
    return union_of([loop.during for loop in facts.once(costly_loops)])


def idle_ns(facts: Facts, loop: ItemLoop) -> int:
    """How long the busiest device does nothing meanwhile, in the steps."""
    return int(overlap_ns(facts.once(idle_in_steps), loop.during.start_ns, loop.during.end_ns).sum())


def idle_in_steps(facts: Facts) -> Intervals:
    """When the busiest device does nothing, in the steps."""
    main = facts.work.main_device
    if main is None:
        return NEVER
    return intersect(facts.idle.gaps[main], union(facts.steps.gpu_start_ns, facts.steps.gpu_end_ns))


def device_ns(facts: Facts, loop: ItemLoop) -> int:
    """How long the device works on what a loop launches."""
    return total_ns(union(facts.work.start_ns[loop.work], facts.work.end_ns[loop.work]))


def _loops_of(facts: Facts, lane: int) -> Iterator[ItemLoop]:
    calls = calls_of_thread(facts, lane)
    left, runs = calls.letter.copy(), dict[frozenset[int], list[_Run]]()
    for _ in range(_BODIES):
        best = _best_runs(facts, calls, left)
        for run in best:
            runs.setdefault(_body(calls, run), []).append(run)
            left[run.first : run.end] = NONE
        if not best:
            break
        changes = np.diff(calls.border, prepend=calls.border[:1]) != 0
        changes[[run.end for run in best if run.end < len(changes)]] = True
        calls.border[:] = np.cumsum(changes)
    if not runs:
        return
    launches, autograd = facts.once(_launches), _autograd_of(facts, lane)
    for body, pieces in runs.items():
        if _turns_of_a_step(facts, calls, pieces) >= TURNS:
            yield _loop(facts.trace, lane, calls, body, pieces, launches, autograd)


def _loop(
    trace: Trace,
    lane: int,
    calls: ThreadCalls,
    body: frozenset[int],
    pieces: list[_Run],
    launches: _ByTime,
    autograd: _Autograd,
) -> ItemLoop:
    starts, ends = zip(*(_during(calls, run) for run in pieces), strict=True)
    forward = union(np.concatenate(starts), np.concatenate(ends))
    during = union_of((forward, _backward_of(autograd, forward)))
    longest = max(pieces, key=lambda run: run.turns)
    inside = np.arange(longest.first, longest.end)
    inside = inside[is_among(calls.letter[inside], sorted(body))]
    return ItemLoop(
        turns=sum(run.turns for run in pieces),
        lane=lane,
        forward=forward,
        during=during,
        work=np.sort(launches.within(during)),
        selects=all(_selects(calls, run) and _looks(calls, run) for run in pieces),
        calls=tuple(dict.fromkeys(trace.names[name] for name in calls.name[inside].tolist())),
    )


def _during(calls: ThreadCalls, run: _Run) -> tuple[Int64s, Int64s]:
    """The time from the first call until the next turn would begin, without pauses longer than some turns."""
    start_ns, end_ns = calls.start_ns[run.first : run.end], calls.end_ns[run.first : run.end]
    begins = np.flatnonzero(calls.letter[run.first : run.end] == calls.letter[run.first])
    turn_ns = median(np.diff(start_ns[begins]))
    between_ns = max(int(median(start_ns[begins[1:]] - end_ns[begins[1:] - 1])), 0)
    next_ns = calls.start_ns[run.end : run.end + 1].min(initial=end_ns[-1] + between_ns)
    until_ns = np.append(start_ns[1:], max(min(end_ns[-1] + between_ns, next_ns), end_ns[-1]))
    goes_on = until_ns - end_ns <= _LENGTHS * turn_ns
    return start_ns, np.where(goes_on, until_ns, end_ns)


def _body(calls: ThreadCalls, run: _Run) -> frozenset[int]:
    """The letters that most of its turns have."""
    letters, count = np.unique(calls.letter[run.first : run.end], return_counts=True)
    return frozenset(letters[(count >= _MOST * run.turns) & (letters != NONE)].tolist())


def _best_runs(facts: Facts, calls: ThreadCalls, left: Int64s) -> list[_Run]:
    """The runs of the call that holds most of the sequence with them, of several those of fewest turns."""
    best: list[_Run] = []
    held = 0
    for letter in _anchors(calls, left):
        runs = [run for run in _runs(calls, left, letter) if _is_over_items(calls, run)]
        holds = sum(run.end - run.first for run in runs)
        if holds > held or (holds and holds == held and _turns(runs) < _turns(best)):
            best, held = runs, holds
    return best if _turns_of_a_step(facts, calls, best) >= TURNS else []


def _turns(runs: list[_Run]) -> int:
    return sum(run.turns for run in runs)


def _turns_of_a_step(facts: Facts, calls: ThreadCalls, runs: list[_Run]) -> int:
    """In the step that has most of them."""
    step = (
        facts.steps.index_of(calls.start_ns[[run.first for run in runs]]) if runs else np.empty(0, np.int64)
    )
    return int(np.bincount(step, [run.turns for run in runs], 1).max())


def _anchors(calls: ThreadCalls, left: Int64s) -> list[int]:
    """The letters that come again soon, those first between which most calls lie."""
    at = np.flatnonzero(left != NONE)
    at = at[np.argsort(left[at], kind="stable")]
    apart = np.diff(at)
    near = (np.diff(left[at]) == 0) & (apart <= _CALLS) & (np.diff(calls.border[at]) == 0)
    letters = left[at][1:][near]
    if not len(letters):
        return []
    count, held = np.bincount(letters), np.bincount(letters, apart[near])
    held[count < _TURNS_AT_ONCE - 1] = 0
    order = np.argsort(-held, kind="stable")[:_ANCHORS]
    return [int(letter) for letter in order if held[letter]]


def _runs(calls: ThreadCalls, left: Int64s, letter: int) -> Iterator[_Run]:
    """Turns that begin with this letter and are alike, one after the other."""
    at = np.flatnonzero(left == letter)
    goes_on = (np.diff(at) <= _CALLS) & (np.diff(calls.border[at]) == 0)
    if len(goes_on) < 2:
        return
    inside = np.arange(at[0], at[-1])
    turn = np.searchsorted(at, inside, side="right") - 1
    kept = goes_on[turn] & (left[inside] != NONE)
    turn, letters = turn[kept], int(left.max()) + 1
    keys, count = np.unique(turn * letters + left[inside][kept], return_counts=True)
    following = np.minimum(np.searchsorted(keys, keys + letters), len(keys) - 1)
    both = np.where(keys[following] == keys + letters, np.minimum(count, count[following]), 0)
    shared = np.bincount(keys // letters, both, minlength=len(goes_on))[:-1]
    size = np.bincount(turn, minlength=len(goes_on))
    shorter, longer = np.minimum(size[:-1], size[1:]), np.maximum(size[:-1], size[1:])
    alike = goes_on[:-1] & goes_on[1:] & (shared >= _ALIKE * shorter) & (longer <= _LENGTHS * shorter)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], alike, [False]])))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        # Turns `begin` to `end` are alike, and at the letter after them another one begins.
        known = frozenset(left[at[begin] : at[begin + 1]].tolist()) - {NONE}
        last = int(at[end + 1])
        until = last + 1
        limit = min(last + int(size[end]), len(left))
        while until < limit and int(left[until]) in known and calls.border[until] == calls.border[last]:
            until += 1
        yield _Run(int(at[begin]), until, end - begin + 2)


def _is_over_items(calls: ThreadCalls, run: _Run) -> bool:
    inside, most = slice(run.first, run.end), _MOST * run.turns
    waits = int(calls.waits[inside].sum()) >= most
    if run.turns < (_TURNS_AT_ONCE if waits else TURNS) or int(calls.kernels[inside].sum()) < most:
        return False
    if int(calls.multiplies[inside].sum()) >= most:
        gathers = int(calls.gathers[inside].sum()) >= most
        return waits and gathers and int(calls.normalizes[inside].sum()) < most
    return waits or _selects(calls, run)


def _selects(calls: ThreadCalls, run: _Run) -> bool:
    """Whether its turns select from a tensor, or one was taken apart before."""
    first, end = np.searchsorted(calls.selected_ns, (calls.start_ns[run.first], calls.end_ns[run.end - 1]))
    return bool(end - first >= _ALIKE * run.turns or calls.taken_apart[run.first])


def _looks(calls: ThreadCalls, run: _Run) -> bool:
    """Whether most turns wait for what they find, or select by it."""
    inside, most = slice(run.first, run.end), _MOST * run.turns
    return bool(max(calls.waits[inside].sum(), calls.gathers[inside].sum()) >= most)


def _launches(facts: Facts) -> _ByTime:
    """Positions of the work that threads of the training launch, by the time of its launch."""
    work = facts.work
    known = np.flatnonzero(work.launch != NONE)
    known = known[is_among(facts.trace.slices.lane[work.launch[known]], facts.training_threads)]
    return _ByTime.of(work.launch_start_ns[known], known)


def _autograd_of(facts: Facts, lane: int) -> _Autograd:
    trace, slices = facts.trace, facts.trace.slices
    none = np.empty(0, np.int64)
    if trace.autograd is None:
        return _Autograd(_ByTime(none, none), none, none, none)
    rows = np.flatnonzero(slices.category == Category.CPU_OP)
    number, thread = trace.autograd.autograd_number.at(rows), trace.autograd.forward_thread.at(rows)
    mine = (number >= 0) & (thread <= 0) & (slices.lane[rows] == lane)
    derived = (number >= 0) & (thread > 0) & (facts.steps.index_of(slices.start_ns[rows]) != NONE)
    forward = _ByTime.of(slices.start_ns[rows[mine]], number[mine])
    by_number = np.flatnonzero(derived)[np.argsort(number[derived], kind="stable")]
    late = rows[by_number]
    return _Autograd(forward, number[by_number], slices.start_ns[late], slices.end_of(late))


def _backward_of(autograd: _Autograd, forward: Intervals) -> Intervals:
    """When autograd runs what belongs to the ops of these moments."""
    numbers = np.unique(autograd.forward.within(forward))
    first, end = (np.searchsorted(autograd.number, numbers, side=side) for side in ("left", "right"))
    at = np.concatenate([first[:0], *map(np.arange, first, end)])
    return union(autograd.start_ns[at], autograd.end_ns[at])
