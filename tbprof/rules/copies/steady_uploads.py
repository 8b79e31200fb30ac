"""Uploads of the same sizes in each step, after the step has begun to compute."""

from __future__ import annotations

import numpy as np

from tbprof.analysis.attribution.annotations import LOADER
from tbprof.analysis.facts import Facts
from tbprof.analysis.names import matching_rows
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, median
from tbprof.trace.columns.columns import Category

MOST_STEPS = 0.8
"""What belongs to the step happens in each; the rest allows for a window's edges."""


def names_loader(facts: Facts) -> bool:
    """Whether the trace says when batches come from a data loader."""
    return len(matching_rows(facts.trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)) > 0


def find_steady_uploads(facts: Facts, members: Int64s) -> Int64s:
    """The uploads of a site that do not move the batch; none if they differ from step to step.

    A batch is what is copied between a call of the data loader and the first kernel after it. The
    rest is steady if at least `MOST_STEPS` of the steps hold the same number of copies of the same
    size.
    """
    inside = is_among(facts.episodes.lane[members], facts.training_threads)
    members = members[inside & (facts.episodes.step[members] != NONE)]
    members = members[~moves_batch(facts, facts.episodes.start_ns[members])]
    if len(members) == 0 or len(distinct(facts.episodes.bytes[members])) > 1:
        return members[:0]
    per_step = np.bincount(facts.episodes.step[members], minlength=len(facts.steps))
    usual = int(median(per_step))
    steady = usual > 0 and int((per_step == usual).sum()) >= MOST_STEPS * len(facts.steps)
    return members if steady else members[:0]


def moves_batch(facts: Facts, instants: Int64s) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each instant whether the loader was called later than a kernel was last launched before it."""
    slices, work = facts.trace.slices, facts.work
    calls = matching_rows(facts.trace, LOADER, Category.CPU_OP, Category.USER_ANNOTATION)
    loaded = np.sort(slices.end_of(calls), kind="stable")
    launched = np.sort(work.launch_start_ns[work.launched_kernels], kind="stable")
    return _last_before(loaded, instants) > _last_before(launched, instants)


def _last_before(ascending: Int64s, instants: Int64s) -> Int64s:
    """The last of these at or before each instant; the earliest of all int64 where there is none."""
    never = np.concatenate([[np.iinfo(np.int64).min], ascending])
    last: Int64s = never[np.searchsorted(ascending, instants, side="right")]
    return last
