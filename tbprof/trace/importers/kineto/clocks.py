"""Time that goes backwards between events of the host, as facts of the file.

Clocks are set back by time servers and by machines that were moved. What a count means: so many
events begin before one that must have begun before them. Real traces show none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.columns.arrays import find_sorted
from tbprof.trace.columns.columns import Category, Int64s, Trace
from tbprof.trace.columns.eras import STEP_PREFIX

__all__ = ["find_time_going_backwards"]

_BLOCK_ROWS = 2**16
"""How many frames are looked at together: there are millions, and each costs 40 bytes meanwhile."""
_STEP = re.compile(rf"{STEP_PREFIX}(\d{{1,9}})\Z")


def find_time_going_backwards(trace: Trace) -> Iterator[HealthFact]:
    """What of the host's events contradicts their order."""
    early, frames, worst_ns = 0, 0, 0
    for early_ns in _before_callers(trace):
        early += int((early_ns > 0).sum())
        frames += len(early_ns)
        worst_ns = max(worst_ns, int(early_ns.max(initial=0)))
    if early:
        numbers = {"rows": early, "of": frames, "worst_ns": worst_ns}
        yield HealthFact("frames_before_caller", "warning", numbers)
    backwards = int((np.diff(_starts_of_steps(trace)) < 0).sum())
    if backwards:
        yield HealthFact("steps_backwards", "warning", {"steps": backwards})


def _before_callers(trace: Trace) -> Iterator[Int64s]:
    """How long each Python frame began before its caller, in blocks; nothing where ids are not unique."""
    ids, rows = trace.python_id.values, trace.python_id.rows
    # Kineto mostly writes frames by their ids.
    if not (ids[1:] > ids[:-1]).all():
        order = np.argsort(ids, kind="stable")
        ids, rows = ids[order], rows[order]
        if (ids[1:] == ids[:-1]).any():
            return
    callers, frames = trace.python_parent.values, trace.python_parent.rows
    start_ns = trace.slices.start_ns
    for first in range(0, len(frames), _BLOCK_ROWS):
        block = slice(first, first + _BLOCK_ROWS)
        found, known = find_sorted(ids, callers[block])
        yield start_ns[rows[found[known]]] - start_ns[frames[block][known]]


def _starts_of_steps(trace: Trace) -> Int64s:
    """By number."""
    numbers = [match and int(match[1]) for match in map(_STEP.match, trace.names)]
    is_step = np.array([number is not None for number in numbers], bool)[trace.slices.name]
    rows = np.flatnonzero((trace.slices.category == Category.USER_ANNOTATION) & is_step)
    order = [numbers[name] for name in trace.slices.name[rows].tolist()]
    return trace.slices.start_ns[rows[np.argsort(order, kind="stable")]]
