"""Calls by which the training threads pin host memory while the training runs."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.intervals import Intervals, overlap_ns, union
from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, is_among
from tbprof.trace.columns.columns import Category

_OPS = r"aten::_?pin_memory$"
_CALLS = r"(?:cuda|hip)Host(?:Alloc|Malloc|Register)"


@dataclass(frozen=True, slots=True, eq=False)
class Pinning:
    rows: Int64s
    """Outermost ones, ascending by start; in a step, but not in the first of several."""
    step: Int64s
    during: Intervals


def find_pinning(facts: Facts) -> Pinning:
    """Of the training lanes, without what the data loader pins for them."""
    trace, slices = facts.trace, facts.trace.slices
    ops = matching_rows(trace, _OPS, Category.CPU_OP)
    calls = matching_rows(trace, _CALLS, Category.RUNTIME)
    loading = matching_rows(trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)
    inside_loader = union(slices.start_ns[loading], slices.end_of(loading))
    rows = np.concatenate([ops, calls])
    rows = rows[is_among(slices.lane[rows], facts.training_threads)]
    start = slices.start_ns[rows]
    step = facts.steps.index_of(start)
    set_up = (step == 0) & (len(facts.steps) > 1)
    loads = overlap_ns(inside_loader, start, start + 1) > 0
    rows = rows[(step != NONE) & ~set_up & ~loads]
    rows = rows[np.lexsort((-slices.duration_ns[rows], slices.start_ns[rows]))]
    start, end = slices.start_ns[rows], slices.end_of(rows)
    before = np.concatenate([[np.iinfo(np.int64).min], np.maximum.accumulate(end)[:-1]])[: len(rows)]
    outermost = rows[start >= before]
    return Pinning(outermost, facts.steps.index_of(slices.start_ns[outermost]), union(start, end))
