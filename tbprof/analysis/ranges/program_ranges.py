"""Ranges of the program as they enclose each other, and those of autograd's threads what called `backward()`.

`backward()` runs on a thread of autograd's while the thread that called it does nothing but wait: what
encloses an instant on that one encloses the call of `backward()`.
"""

from __future__ import annotations

import numpy as np

from tbprof.analysis.arrays.names import matching_rows
from tbprof.analysis.arrays.nesting import Nest
from tbprof.analysis.facts import Facts
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category

_AUTOGRAD = r"autograd::engine::evaluate_function|\w+Backward\d*\Z"
"""Ops that torch runs in `backward()`: traces of 2021 have only the second kind."""


class ProgramRanges:
    """Positions index the ranges in the order of their nest."""

    def __init__(self, facts: Facts, nest: Nest) -> None:
        """`nest` holds what counts as a range, of any thread."""
        self._slices = facts.trace.slices
        self._nest = nest
        self._backward = np.array(backward_threads(facts), np.int64)
        self._main = main_thread(facts)

    @property
    def rows(self) -> Int64s:
        """Row of the trace at each position."""
        return self._nest.rows

    def around(self, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        """Position of the innermost range around each call, `NONE` where there is none."""
        return self._or_of_caller(
            self._nest.innermost(lane, start_ns, end_ns), lane.astype(np.int64), start_ns, end_ns
        )

    def parents(self) -> Int64s:
        """Of each position that of the range around it, `NONE` for the outermost."""
        rows = self.rows
        lane, end = self._slices.lane[rows].astype(np.int64), self._slices.end_of(rows)
        return self._or_of_caller(self._nest.parents(), lane, self._slices.start_ns[rows], end)

    def _or_of_caller(self, found: Int64s, lane: Int64s, start_ns: Int64s, end_ns: Int64s) -> Int64s:
        open_ = np.flatnonzero((found == NONE) & is_among(lane, self._backward))
        if self._main is None or len(open_) == 0:
            return found
        joined: Int64s = found.copy()
        caller = np.full(len(open_), self._main, np.int64)
        joined[open_] = self._nest.innermost(caller, start_ns[open_], end_ns[open_])
        return joined


def main_thread(facts: Facts) -> int | None:
    """The lane that carries the steps; where none does, the training thread with most ops.

    Where no thread trains, as in inference on the CPU, any thread with ops; None where no op is recorded.
    """
    if facts.steps.recorded:
        return facts.steps.lanes[0]
    slices = facts.trace.slices
    others = set(facts.training_threads) - set(_autograd_lanes(facts))
    lanes = slices.lane[slices.category == Category.CPU_OP]
    candidates = sorted(others or facts.training_threads or distinct(lanes).tolist())
    return max(candidates, key=lambda lane: int((lanes == lane).sum()), default=None)


def backward_threads(facts: Facts) -> tuple[int, ...]:
    """The lanes of autograd's own threads, busiest first; on the CPU `backward()` runs where it is called."""
    found, count = np.unique(_autograd_lanes(facts), return_counts=True)
    lanes: list[int] = found[np.argsort(-count, kind="stable")].tolist()
    return tuple(lane for lane in lanes if lane != main_thread(facts))


def _autograd_lanes(facts: Facts) -> Int64s:
    """Of each row of autograd's."""
    rows = matching_rows(facts.trace, _AUTOGRAD, Category.CPU_OP)
    return facts.trace.slices.lane[rows].astype(np.int64)
