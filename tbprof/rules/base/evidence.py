"""Where to look for what a finding says: instants and rows of the trace, longest first.

Of equally long ones the earlier comes first, whatever the order of the file. A finding shows a few of them
and names all their steps: records are made of the longest, and of the longest of each step.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tbprof.analysis.arrays.intervals import Intervals
from tbprof.analysis.facts import Facts
from tbprof.model import Evidence
from tbprof.trace.columns.arrays import NONE, distinct

MAX_EVIDENCE = 3
"""As many a finding shows."""


def idle_evidence(facts: Facts, idle: Intervals) -> tuple[Evidence, ...]:
    """Pieces of idle, longest first, each with the row of the device work that ended it."""
    length = idle.end_ns - idle.start_ns
    order = np.lexsort((idle.start_ns, -length))
    start = idle.start_ns[order]
    ended_by = np.searchsorted(facts.work.start_ns, idle.end_ns[order], side="left")
    rows = facts.work.rows[np.minimum(ended_by, len(facts.work.rows) - 1)]
    return _evidence(facts, "idle", start, length[order], rows)


def row_evidence(facts: Facts, kind: str, rows: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    """Rows of the trace, longest first."""
    slices = facts.trace.slices
    rows = rows[np.lexsort((slices.start_ns[rows], -slices.duration_ns[rows]))]
    return _evidence(facts, kind, slices.start_ns[rows], slices.duration_ns[rows], rows)


def wait_evidence(facts: Facts, members: npt.NDArray[np.int64]) -> tuple[Evidence, ...]:
    """Episodes, each with its whole wait and the row of its first call."""
    episodes = facts.episodes
    longest = members[np.lexsort((episodes.start_ns[members], -episodes.wait_ns[members]))]
    rows = facts.calls.rows[episodes.first[longest]]
    return _evidence(facts, "wait", episodes.start_ns[longest], episodes.wait_ns[longest], rows)


def _evidence(
    facts: Facts,
    kind: str,
    start_ns: npt.NDArray[np.int64],
    duration_ns: npt.NDArray[np.int64],
    rows: npt.NDArray[np.int64],
) -> tuple[Evidence, ...]:
    steps = facts.steps.index_of(start_ns)
    _, longest_of_step = np.unique(steps, return_index=True)
    kept = distinct(np.concatenate([np.arange(min(MAX_EVIDENCE, len(rows))), longest_of_step]))
    columns = (start_ns - facts.origin_ns, duration_ns, steps, rows)
    return tuple(
        Evidence(kind, start, duration, None if step == NONE else step, row)
        for start, duration, step, row in zip(*(column[kept].tolist() for column in columns), strict=True)
    )
