"""How long each call of the data loader left the device without work.

Exposed is the part of a call during which the device was idle with an empty queue; a call beside
a busy device costs nothing. With the next batch ready a call still takes `READY_BATCH_NS`, so
that much of each can't be won.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.attribution.op_chains import called_from, library_of
from tbprof.analysis.attribution.sources import frames_of_stack, parse_frame, user_frames
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.deepest_function import deepest_function, frames_around, training_frames
from tbprof.analysis.figures.idle_places import drained_by
from tbprof.analysis.figures.sampled_places import sampled_place
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import IN_LOADER, Saving, Source
from tbprof.records import dataclass
from tbprof.rules.input import words
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

READY_BATCH_NS = 1_400_000
"""What taking a ready batch took, at the median, from four workers in the public ResNet-50 traces."""

STARVED_SHARE = 0.05
"""The part of the steps from which the input pipeline starves the device (xprof's "moderate")."""


@dataclass(frozen=True, slots=True, eq=False)
class LoaderCalls:
    """The calls on training lanes inside the steps, ascending by start."""

    rows: Int64s
    names: tuple[str, ...]
    """Their distinct names, such as `enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__`."""
    exposed_ns: Int64s
    step: Int64s
    idle: Intervals
    """All idle of the busiest device that the loader caused."""
    share: float
    """The idle as a part of the steps, 0 to 1."""
    drained_by: int
    """The site whose wait most of this idle began in, or `NONE`."""

    @property
    def certain_ns(self) -> int:
        """What is won at least if each batch is ready when it is asked for."""
        return int(np.maximum(self.exposed_ns - READY_BATCH_NS, 0).sum())


def find_loader_calls(facts: Facts) -> LoaderCalls:
    """The calls of a window, judged by the idle of its busiest device."""
    trace, slices = facts.trace, facts.trace.slices
    rows = matching_rows(trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    rows = rows[facts.steps.index_of(slices.start_ns[rows]) != NONE]
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    # Without marked steps every instant is one of the window's, that of a loader's start too.
    rows = rows[slices.end_of(rows) > facts.steps.start_ns[0]]
    start = slices.start_ns[rows]
    idle = facts.idle_of("data")
    exposed = overlap_ns(idle, start, start + slices.duration_ns[rows])
    steps_ns = facts.steps.total_ns
    return LoaderCalls(
        rows=rows,
        names=tuple(trace.names[i] for i in distinct(slices.name[rows]).tolist()),
        exposed_ns=exposed,
        step=facts.steps.index_of(start),
        idle=idle,
        share=int((idle.end_ns - idle.start_ns).sum()) / max(steps_ns, 1),
        drained_by=_drain(facts, idle),
    )


def loader_savings(facts: Facts, calls: LoaderCalls) -> tuple[Saving, Saving]:
    """With what the device is seen to wait for as its ceiling, and with all that the calls may cost."""
    slices = facts.trace.slices
    idle_ns = total_ns(calls.idle)
    steps = union(facts.steps.start_ns, facts.steps.end_ns)
    spans = intersect(union(slices.start_ns[calls.rows], slices.end_of(calls.rows)), steps)
    won_ns = max(idle_ns, earlier_host_ns(facts, spans))
    floor_ns = min(calls.certain_ns, idle_ns)
    return Saving(floor_ns, None, idle_ns), Saving(floor_ns, None, won_ns)


_SINGLE = "_SingleProcessDataLoaderIter"


def is_single_process(calls: LoaderCalls) -> bool:
    """Whether the training process makes the batches itself."""
    return any(_SINGLE in name for name in calls.names)


_MOST = 0.5
"""The share of the idle from which a function is what a loader's time goes to."""


def slowest_function(facts: Facts, calls: LoaderCalls, spent: Intervals) -> tuple[str, float | None]:
    """The deepest Python function within the calls that most of this time lies in, and that share of it.

    Before it stands the function of another package that calls it. Where no such frame was recorded, it is
    the line with most of the hook's samples; else the data set of the only loader that the hook saw, else
    where the program takes the batch, else "".
    """
    if len(facts.trace.call_stack.rows):
        return _of_call_stacks(facts, calls, spent)
    slices = facts.trace.slices
    rows = training_frames(facts)
    within = union(slices.start_ns[calls.rows], slices.end_of(calls.rows))
    rows = rows[overlap_ns(within, slices.start_ns[rows], slices.end_of(rows)) == slices.duration_ns[rows]]
    found = deepest_function(facts, rows, spent, _MOST)
    return _known_place(facts, calls) if found is None else (found.place, found.share)


def _known_place(facts: Facts, calls: LoaderCalls) -> tuple[str, float | None]:
    """The line with most of the hook's samples, and its share; else the data set, else who takes batches."""
    sampled = sampled_place(facts, IN_LOADER)
    if sampled is not None:
        return sampled.place, sampled.share
    return _only_dataset(facts) or _taken_in(facts, calls), None


def _of_call_stacks(facts: Facts, calls: LoaderCalls, spent: Intervals) -> tuple[str, float | None]:
    """The same where operators have stacks (2021): by the outermost operators within the calls."""
    trace, slices = facts.trace, facts.trace.slices
    rows: Int64s = trace.call_stack.rows.astype(np.int64)
    within = union(slices.start_ns[calls.rows], slices.end_of(calls.rows))
    rows = rows[is_among(slices.lane[rows], slices.lane[calls.rows]) & ~is_among(rows, calls.rows)]
    rows = rows[overlap_ns(within, slices.start_ns[rows], slices.end_of(rows)) == slices.duration_ns[rows]]
    rows = rows[np.lexsort([-slices.duration_ns[rows], slices.start_ns[rows]])]
    ends = np.maximum.accumulate(slices.end_of(rows)) if len(rows) else slices.end_of(rows)
    rows = rows[slices.start_ns[rows] >= np.concatenate([[0], ends[:-1]])[: len(rows)]]
    covered_ns = overlap_ns(spent, slices.start_ns[rows], slices.end_of(rows))
    of_function: Counter[tuple[str, str]] = Counter()
    chains: dict[tuple[str, str], list[Source]] = {}
    for stack, ns in zip(trace.call_stack.at(rows).tolist(), covered_ns.tolist(), strict=True):
        if chain := frames_of_stack(trace.names[stack]):
            function = chain[0].file, chain[0].function
            of_function[function] += ns
            chains.setdefault(function, chain)
    most, most_ns = max(of_function.items(), key=lambda one: (one[1], one[0]), default=(("", ""), 0))
    part = most_ns / max(total_ns(spent), 1)
    if part >= _MOST:
        return called_from(chains[most]), min(part, 1.0)
    return _taken_in(facts, calls), None


def _taken_in(facts: Facts, calls: LoaderCalls) -> str:
    """The user's line that takes the last batch from the loader; "" where that was not recorded."""
    trace, slices = facts.trace, facts.trace.slices
    last = calls.rows[-1:]
    if len(last) == 0:
        return ""
    if len(trace.call_stack.rows):
        stack = int(trace.call_stack.at(last)[0])
        chain = [] if stack < 0 else frames_of_stack(trace.names[stack])
    else:
        rows = user_frames(trace)
        around = frames_around(slices, rows, int(last[0]))
        found = (parse_frame(trace.names[slices.name[one]], exact=False) for one in around.tolist())
        chain = [frame for frame in found if frame is not None]
    own = [frame for frame in chain if library_of(frame.file) is None]
    return called_from(own[:1]) if own else ""


def _only_dataset(facts: Facts) -> str:
    loaders = () if facts.trace.facts is None else facts.trace.facts.loaders
    return loaders[0].dataset if len(loaders) == 1 else ""


def _drain(facts: Facts, idle: Intervals) -> int:
    sites = np.array(drained_by(facts, facts.empty_idle, idle.start_ns), np.int64)
    known = sites != NONE
    if not known.any():
        return NONE
    idle_ns = np.zeros(int(sites.max()) + 1, np.int64)
    np.add.at(idle_ns, sites[known], (idle.end_ns - idle.start_ns)[known])
    return int(np.argmax(idle_ns))


def loading(facts: Facts) -> words.LoaderCalls | None:
    """The figures of rules about a loader for which the device hardly waits."""
    calls = find_loader_calls(facts)
    if not len(calls.rows):
        return None
    exposed_per_step_ns = total_ns(calls.idle) // len(facts.steps)
    return words.LoaderCalls(len(calls.rows), exposed_per_step_ns, calls.share)
