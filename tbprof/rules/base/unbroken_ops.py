"""Ops that follow one another: of the same thread, and in the same step."""

from __future__ import annotations

import itertools

import numpy as np

from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import Int64s


def unbroken_ops(facts: Facts, chosen: Int64s) -> list[tuple[int, int]]:
    """From and to which of `chosen`, positions in `facts.top_ops`, nothing changes thread or step."""
    ops = facts.top_ops
    step = facts.steps.index_of(facts.trace.slices.start_ns[ops.rows[chosen]])
    place = step + ops.lane[chosen] * len(facts.steps)
    borders = np.flatnonzero(np.diff(place)) + 1
    return list(itertools.pairwise((0, *borders.tolist(), len(chosen))))
