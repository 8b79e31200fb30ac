"""Calls that launch kernels: how long they took, and what may have held them up."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import CLOCK_SLACK_NS, Int64s, distinct, median

EARLY_RETURN_NS = 2_000
"""A blocking launch returns when its kernel has ended, but for the error of the two clocks. It is less than
what they may differ by: a launch that returns so soon before a short kernel's end need not wait for it."""


@dataclass(frozen=True, slots=True, eq=False)
class Launches:
    """One entry a launching call, ascending by row."""

    rows: Int64s
    start_ns: Int64s
    end_ns: Int64s
    median_ns: Int64s
    """The median of all of its name."""

    def only(self, chosen: npt.NDArray[np.bool_] | Int64s) -> Launches:
        return Launches(self.rows[chosen], self.start_ns[chosen], self.end_ns[chosen], self.median_ns[chosen])


def training_launches(facts: Facts) -> Launches:
    """The launches of kernels on the training lanes within the steps."""
    slices, work = facts.trace.slices, facts.work
    rows = distinct(work.launch[facts.kernels_in_steps])
    start, names = slices.start_ns[rows], slices.name[rows]
    usual = np.zeros(len(rows), np.int64)
    for name in distinct(names).tolist():
        usual[names == name] = int(median(slices.duration_ns[rows[names == name]]))
    return Launches(rows, start, start + slices.duration_ns[rows], usual)


def blocking_launches(facts: Facts) -> tuple[Launches, int]:
    """The launches that returned only when all their kernels had ended, and the number of all.

    One whose kernel is recorded as begun before it tells how far the clocks are apart, not what it awaited.
    """
    launches, work = facts.once(training_launches), facts.work
    at = np.searchsorted(launches.rows, work.launch[work.is_kernel])
    ended = np.zeros(len(launches.rows) + 1, np.int64)
    np.maximum.at(ended, at, work.end_ns[work.is_kernel])
    began = launches.end_ns.copy()
    kernels = facts.kernels_in_steps
    np.minimum.at(began, np.searchsorted(launches.rows, work.launch[kernels]), work.start_ns[kernels])
    blocked = launches.end_ns >= ended[:-1] - EARLY_RETURN_NS
    blocked &= began >= launches.start_ns - CLOCK_SLACK_NS
    return launches.only(blocked), len(blocked)
