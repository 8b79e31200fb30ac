"""Time that goes backwards between events of the host, as facts of the file.

Clocks are set back by time servers and by machines that were moved. What a count means: so many
events begin before one that must have begun before them. Real traces show none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tbprof.model import HealthFact
from tbprof.trace.columns.arrays import Int64s
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import STEP_PREFIX

_MOST = 0.01
"""A share of frames: a file in which more than one and these begin early is not written in order of time."""
_STEP = re.compile(rf"{STEP_PREFIX}(\d{{1,9}})\Z")


def find_time_going_backwards(trace: Trace) -> Iterator[HealthFact]:
    """What of the host's events contradicts their order."""
    frames = np.flatnonzero(trace.slices.category == Category.PYTHON)
    early_ns = _early_ns(trace, frames)
    early_ns = early_ns[early_ns > 0]
    if 0 < len(early_ns) <= max(len(frames) * _MOST, 1):
        numbers = {"rows": len(early_ns), "of": len(frames), "worst_ns": int(early_ns.max())}
        yield HealthFact("frames_backwards", "warning", numbers)
    backwards = int((np.diff(_starts_of_steps(trace)) < 0).sum())
    if backwards:
        yield HealthFact("steps_backwards", "warning", {"steps": backwards})


def _early_ns(trace: Trace, frames: Int64s) -> Int64s:
    """How long each frame began before the one that is written before it on its thread.

    torch numbers and writes frames in the order in which they began, callers first.
    """
    lane, start_ns = trace.slices.lane[frames], trace.slices.start_ns[frames]
    if (lane[1:] < lane[:-1]).any():
        by_lane = np.argsort(lane, kind="stable")
        lane, start_ns = lane[by_lane], start_ns[by_lane]
    early_ns: Int64s = start_ns[:-1] - start_ns[1:]
    same_thread: npt.NDArray[np.bool_] = lane[1:] == lane[:-1]
    return early_ns[same_thread]


def _starts_of_steps(trace: Trace) -> Int64s:
    """By number."""
    rows = np.flatnonzero(trace.slices.category == Category.USER_ANNOTATION)
    matches = [_STEP.match(trace.names[name]) for name in trace.slices.name[rows].tolist()]
    numbered = [(int(match[1]), row) for match, row in zip(matches, rows.tolist(), strict=True) if match]
    return trace.slices.start_ns[[row for _, row in sorted(numbered)]]
