"""How long each call of the data loader left the device without work.

Exposed is the part of a call during which the device was idle with an empty queue; a call beside
a busy device costs nothing. With the next batch ready a call still takes `READY_BATCH_NS`, so
that much of each can't be won.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.idle_places import drained_by
from tbprof.analysis.figures.savings import earlier_host_ns
from tbprof.analysis.intervals import Intervals, intersect, overlap_ns, total_ns, union
from tbprof.analysis.names import matching_rows
from tbprof.model import Saving
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
