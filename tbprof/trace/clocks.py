"""Time that goes backwards between events of the host, as facts of the file.

Clocks are set back by time servers and by machines that were moved. What a count means: so many
events begin before one that must have begun before them. Real traces show none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tbprof.model import HealthFact
from tbprof.trace.columns import Category, Int64s, Trace
from tbprof.trace.eras import STEP_PREFIX

__all__ = ["find_time_going_backwards"]

_STEP = re.compile(rf"{STEP_PREFIX}(\d{{1,9}})\Z")


def find_time_going_backwards(trace: Trace) -> Iterator[HealthFact]:
    """What of the host's events contradicts their order."""
    callers, frames = _frames_and_callers(trace)
    early_ns = trace.slices.start_ns[callers] - trace.slices.start_ns[frames]
    early = int((early_ns > 0).sum())
    if early:
        numbers = {"rows": early, "of": len(frames), "worst_ns": int(early_ns.max())}
        yield HealthFact("frames_before_caller", "warning", numbers)
    backwards = int((np.diff(_starts_of_steps(trace)) < 0).sum())
    if backwards:
        yield HealthFact("steps_backwards", "warning", {"steps": backwards})


def _frames_and_callers(trace: Trace) -> tuple[Int64s, Int64s]:
    """Rows of callers, and of the Python frames that each called; none where ids are not unique."""
    order = np.argsort(trace.python_id.values, kind="stable")
    ids, wanted = trace.python_id.values[order], trace.python_parent.values
    if not len(ids) or (np.diff(ids) == 0).any():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    found = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    known = ids[found] == wanted
    return trace.python_id.rows[order[found[known]]], trace.python_parent.rows[known]


def _starts_of_steps(trace: Trace) -> Int64s:
    """By number."""
    numbers = [match and int(match[1]) for match in map(_STEP.match, trace.names)]
    is_step = np.array([number is not None for number in numbers], bool)[trace.slices.name]
    rows = np.flatnonzero((trace.slices.category == Category.USER_ANNOTATION) & is_step)
    order = [numbers[name] for name in trace.slices.name[rows].tolist()]
    return trace.slices.start_ns[rows[np.argsort(order, kind="stable")]]
