"""The steps of a window: `ProfilerStep#n` on the CPU, or one step named `window`."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.names import matching_rows
from tbprof.trace.columns import Category, Int64s, Trace

__all__ = ["COLD_FACTOR", "OUTSIDE", "WINDOW_STEP", "Steps", "find_steps", "rows_of_steps"]

OUTSIDE = -1
"""The step of what begins outside every step."""

WINDOW_STEP = "window"

COLD_FACTOR = 1.5
"""A first step longer than this times the median of the others is cold (compilation,
lazy loading, allocator growth)."""

_MIN_STEPS_FOR_COLD = 3


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Ascending by start; steps of several threads may overlap, then the earlier one counts."""

    names: tuple[str, ...]
    start_ns: Int64s
    end_ns: Int64s
    cold: tuple[bool, ...]
    lanes: tuple[int, ...]
    """Lanes that carry the steps; none where the window is the only step."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def recorded(self) -> bool:
        """Whether the trace marks steps at all."""
        return bool(self.lanes)

    def index_of(self, instants: Int64s) -> Int64s:
        """The step whose `[start, end)` holds each instant, else `OUTSIDE`.

        Without recorded steps all instants belong to the window.
        """
        if not self.recorded:
            return np.zeros(len(instants), np.int64)
        begun = np.searchsorted(self.start_ns, instants, side="right")
        # The first step to reach beyond an instant; its own end does, so it holds it if it has begun.
        reaching = np.searchsorted(np.maximum.accumulate(self.end_ns), instants, side="right")
        return np.where(reaching < begun, reaching, OUTSIDE)


def find_steps(trace: Trace, work: DeviceWork) -> Steps:
    """Cut the window into steps.

    Without any `ProfilerStep#`, the window reaches from the first device start to the last
    device end, on a trace without device rows from the first event to the last. A step begins
    behind what the hook was told is no part of it: an evaluation comes before the training.
    """
    slices = trace.slices
    rows = matching_rows(trace, r"ProfilerStep#", Category.USER_ANNOTATION)
    if len(rows) == 0:
        reach = np.array(_window(trace, work), np.int64)
        return Steps((WINDOW_STEP,), reach[:1], reach[1:], (False,), ())
    rows = rows[np.argsort(slices.start_ns[rows], kind="stable")]
    end = slices.start_ns[rows] + slices.duration_ns[rows]
    start = _start_behind_phases(trace, slices.start_ns[rows], end)
    return Steps(
        names=tuple(trace.names[i] for i in slices.name[rows].tolist()),
        start_ns=start,
        end_ns=end,
        cold=_cold(end - start),
        lanes=tuple(np.unique(slices.lane[rows]).tolist()),
    )


def rows_of_steps(trace: Trace, steps: Steps, chosen: npt.NDArray[np.bool_]) -> Int64s:
    """The rows that mark the chosen steps, ascending; `chosen` has one entry a step."""
    slices, rows = trace.slices, matching_rows(trace, r"ProfilerStep#", Category.USER_ANNOTATION)
    return rows[np.isin(slices.start_ns[rows] + slices.duration_ns[rows], steps.end_ns[chosen])]


def _start_behind_phases(trace: Trace, start_ns: Int64s, end_ns: Int64s) -> Int64s:
    """The starts of the steps, moved behind the last phase of the hook's that lies in each."""
    phases = () if trace.facts is None else trace.facts.phases_left_out
    if not phases:
        return start_ns
    names = "|".join(re.escape(phase) for phase in phases)
    rows = matching_rows(trace, rf"(?:{names})\Z", Category.USER_ANNOTATION)
    begin = trace.slices.start_ns[rows]
    over = begin + trace.slices.duration_ns[rows]
    moved: Int64s = start_ns.copy()
    for step, (start, end) in enumerate(zip(start_ns.tolist(), end_ns.tolist(), strict=True)):
        inside = over[(begin >= start) & (over < end)]
        moved[step] = max(start, int(inside.max(initial=start)))
    return moved


def _cold(duration_ns: Int64s) -> tuple[bool, ...]:
    cold = [False] * len(duration_ns)
    if len(duration_ns) >= _MIN_STEPS_FOR_COLD:
        cold[0] = bool(duration_ns[0] > COLD_FACTOR * np.median(duration_ns[1:]))
    return tuple(cold)


def _window(trace: Trace, work: DeviceWork) -> tuple[int, int]:
    if len(work.rows):
        return int(work.start_ns.min()), int(work.end_ns.max())
    slices = trace.slices
    known = slices.category != Category.OTHER
    if not known.any():
        return 0, 0
    start = slices.start_ns[known]
    return int(start.min()), int((start + slices.duration_ns[known]).max())
