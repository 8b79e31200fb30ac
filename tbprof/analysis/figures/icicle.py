"""A flame graph's figures: host time, device time and calls of each path of nested ranges.

They are of the steps that are not cold. Host time is that of the thread that carries the steps, with
what autograd's thread did for it in `backward()`. Device time is that of the work launched inside a
range, whatever ran beside it on another stream; a kernel is joined to its launch by correlation, and the
launch to its ranges by time. Of each node both are its own and those of the nodes inside it together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.program_ranges import (
    ProgramRanges,
    backward_threads,
    main_thread,
    merge_paths,
    totals_of,
)
from tbprof.analysis.intervals import Intervals, overlap_ns, total_ns, union
from tbprof.analysis.nesting import Nest
from tbprof.trace.columns.arrays import NONE, Int64s, is_among


@dataclass(frozen=True, slots=True, eq=False)
class Icicle:
    """Nodes, parents before children; the first is the root and stands for the steps."""

    parent: Int64s
    """`NONE` of the root."""
    name: Int64s
    """Index into the trace's names; `NONE` of the root, and of what was folded."""
    calls: Int64s
    """Ranges that began in the steps; of the root the steps."""
    host_ns: Int64s
    device_ns: Int64s
    folded: Int64s
    """How many nodes this one stands for; 0 of a node that is none but itself."""


def cut_icicle(facts: Facts, rows: Int64s, *, max_nodes: int) -> Icicle:
    """The icicle of the ranges in these rows of the trace.

    Args:
        facts: Of the window.
        rows: Ranges of one kind, of any thread.
        max_nodes: Nodes at the most; beyond half of it the smallest are folded into one of each parent.
    """
    ranges = ProgramRanges(facts, Nest.of(facts.trace.slices, rows))
    parents = ranges.parents()
    paths = merge_paths(facts.trace.slices.name[ranges.rows].astype(np.int64), parents)
    spans = _shown_spans(facts)
    host = _own_host_ns(facts, ranges, parents, spans)
    begun = _inside(spans, facts.trace.slices.start_ns[ranges.rows])
    own = np.zeros((3, len(paths.parent)), np.int64)
    np.add.at(own[0], paths.node, host)
    np.add.at(own[2], paths.node, begun.astype(np.int64))
    own[0, 0] = max(_steps_ns(facts, spans) - int(own[0].sum()), 0)
    own[2, 0] = len(shown_steps(facts))
    _add_device_ns(facts, ranges, paths.node, own[1])
    whole = Icicle(
        parent=paths.parent,
        name=paths.name,
        calls=own[2],
        host_ns=totals_of(paths.parent, own[0]),
        device_ns=totals_of(paths.parent, own[1]),
        folded=np.zeros(len(paths.parent), np.int64),
    )
    return fold_smallest(whole, max_nodes // 2)


def shown_steps(facts: Facts) -> Int64s:
    """Indices of the steps that are not cold."""
    return np.flatnonzero(~np.array(facts.steps.cold, np.bool_))


def _shown_spans(facts: Facts) -> Intervals:
    """The steps on the host."""
    shown = shown_steps(facts)
    return union(facts.steps.start_ns[shown], facts.steps.end_ns[shown])


def _steps_ns(facts: Facts, spans: Intervals) -> int:
    """How long the steps took on the host; nobody's thread took no time."""
    return 0 if main_thread(facts) is None else total_ns(spans)


def _inside(spans: Intervals, instants: Int64s) -> npt.NDArray[np.bool_]:
    inside: npt.NDArray[np.bool_] = overlap_ns(spans, instants, instants + 1) > 0
    return inside


def _own_host_ns(facts: Facts, ranges: ProgramRanges, parents: Int64s, spans: Intervals) -> Int64s:
    """The host time of each range, without the ranges inside it."""
    slices, rows = facts.trace.slices, ranges.rows
    counted = [lane for lane in (main_thread(facts), *backward_threads(facts)[:1]) if lane is not None]
    length = overlap_ns(spans, slices.start_ns[rows], slices.end_of(rows))
    length = np.where(is_among(slices.lane[rows], counted), length, 0)
    inside = np.flatnonzero(parents != NONE)
    own: Int64s = length.copy()
    np.subtract.at(own, parents[inside], length[inside])
    return own.clip(min=0)


def _add_device_ns(facts: Facts, ranges: ProgramRanges, node: Int64s, own_ns: Int64s) -> None:
    """To the node of the innermost range around each launch; to the root where there is none."""
    work, slices = facts.work, facts.trace.slices
    step = facts.steps.index_of(work.launch_start_ns)
    shown = np.flatnonzero(is_among(step, shown_steps(facts)))
    launched = shown[work.launch[shown] != NONE]
    calls = work.launch[launched]
    around = ranges.around(slices.lane[calls].astype(np.int64), slices.start_ns[calls], slices.end_of(calls))
    length = work.end_ns - work.start_ns
    np.add.at(own_ns, np.where(around == NONE, 0, node[around]), length[launched])
    own_ns[0] += int(length[shown].sum()) - int(length[launched].sum())


def fold_smallest(whole: Icicle, kept: int) -> Icicle:
    """The largest nodes by their share of either time; of each, what is left of those inside it is one node.

    A node is never larger than its parent, so that the parents of what is kept are kept.
    """
    if len(whole.parent) <= 2 * kept:
        return whole
    share = np.maximum(_shares(whole.host_ns), _shares(whole.device_ns))
    order = np.lexsort((np.arange(len(share)), -share))
    chosen = np.sort(order[:kept])
    place = np.full(len(share), NONE, np.int64)
    place[chosen] = np.arange(kept)
    # What was left out right below a node that was kept holds all that was left out below that.
    cut = np.flatnonzero((place == NONE) & (place[whole.parent] != NONE))
    parents, which = np.unique(place[whole.parent[cut]], return_inverse=True)
    sums = np.zeros((4, len(parents)), np.int64)
    for total, column in zip(sums, (whole.calls, whole.host_ns, whole.device_ns), strict=False):
        np.add.at(total, which.reshape(-1), column[cut])
    np.add.at(sums[3], which.reshape(-1), 1)
    around = whole.parent[chosen]
    return Icicle(
        parent=np.concatenate([np.where(around == NONE, NONE, place[around]), parents]),
        name=np.concatenate([whole.name[chosen], np.full(len(parents), NONE)]),
        calls=np.concatenate([whole.calls[chosen], sums[0]]),
        host_ns=np.concatenate([whole.host_ns[chosen], sums[1]]),
        device_ns=np.concatenate([whole.device_ns[chosen], sums[2]]),
        folded=np.concatenate([np.zeros(kept, np.int64), sums[3]]),
    )


def _shares(values: Int64s) -> npt.NDArray[np.float64]:
    shares: npt.NDArray[np.float64] = values / max(int(values[0]), 1)
    return shares
