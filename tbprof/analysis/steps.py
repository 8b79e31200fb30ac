"""The steps of a window: `ProfilerStep#n` on the CPU, or one step named `window`.

Steps are cut on the CPU, and a host that runs ahead of the device ends its steps long before the
device does. Where the device's work of a step ends more than `LAG_SHARE` of the step after the
host's step, at the median of the steps, the steps of the report are those of the device: each
reaches from the end of the step before it to the end of its own work, and together they reach from
the start of the first host step to the end of the work that was launched in the steps. Shares,
idle, severities and the verdict are of these; sync points and calls belong to the host's step that
holds them.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import numpy.typing as npt

from tbprof.analysis.device_work import DeviceWork, holds_only_allocations
from tbprof.analysis.names import matching_rows
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int64s, distinct, is_among, median
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.eras import STEP_PREFIX

WINDOW_STEP = "window"

COLD_FACTOR = 1.5
"""A first step longer than this times the median of the others is cold (compilation,
lazy loading, allocator growth)."""

LAG_SHARE = 0.1
"""The share of a step from which the lag makes a step of the host no step of the device."""

_MIN_STEPS_FOR_COLD = 3
_ENOUGH_FOR_AN_END = 2
_EMPTY_SHARE = 0.1
_CALLS_OF_A_STEP = r"(?:cuda|hip)(?:Memcpy|(?:Stream|Event)Synchronize)"
"""Not the sync call of a device, by which the profiler itself ends the window."""


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Ascending by start; steps of several threads may overlap, then the earlier one counts."""

    names: tuple[str, ...]
    start_ns: Int64s
    """On the host, as `end_ns`."""
    end_ns: Int64s
    gpu_start_ns: Int64s
    """The start of the report's step: the device's where the host runs ahead, else equal to the host's."""
    gpu_end_ns: Int64s
    cold: tuple[bool, ...]
    lanes: tuple[int, ...]
    """Lanes that carry the steps; none where the window is the only step."""

    def __len__(self) -> int:
        return len(self.names)

    @property
    def recorded(self) -> bool:
        """Whether the trace marks steps at all."""
        return bool(self.lanes)

    @property
    def duration_ns(self) -> Int64s:
        """The length of each step of the report."""
        return self.gpu_end_ns - self.gpu_start_ns

    @property
    def total_ns(self) -> int:
        """The length of all steps of the report together."""
        return int(self.duration_ns.sum())

    @property
    def of_device(self) -> bool:
        """Whether the steps of the report are those of the device."""
        return bool((self.gpu_end_ns != self.end_ns).any())

    def index_of(self, instants: Int64s) -> Int64s:
        """The step whose `[start, end)` holds each instant, else `NONE`.

        Without recorded steps all instants belong to the window.
        """
        if not self.recorded:
            return np.zeros(len(instants), np.int64)
        begun = np.searchsorted(self.start_ns, instants, side="right")
        if (self.end_ns[:-1] <= self.start_ns[1:]).all():
            # The last one to begin is the only one that may hold it; what precedes the first one's is none.
            ends_ns = np.append(np.iinfo(np.int64).min, self.end_ns)
            return np.where(instants < ends_ns[begun], begun - 1, NONE)
        # The first step to reach beyond an instant; its own end does, so it holds it if it has begun.
        reaching = np.searchsorted(np.maximum.accumulate(self.end_ns), instants, side="right")
        return np.where(reaching < begun, reaching, NONE)


def find_steps(trace: Trace, work: DeviceWork) -> Steps:
    """Cut the window into steps.

    Without any `ProfilerStep#` that has a length, the window reaches from the first device start to the last
    device end, on a trace without device rows from the first event to the last. A step begins
    after the count given to the hook is no part of it: an evaluation comes before the training.
    """
    slices = trace.slices
    rows = matching_rows(trace, STEP_PREFIX, Category.USER_ANNOTATION)
    rows = rows[slices.duration_ns[rows] > 0]
    if len(rows) == 0:
        reach = np.array(_window(trace, work), np.int64)
        return Steps((WINDOW_STEP,), reach[:1], reach[1:], reach[:1], reach[1:], (False,), ())
    rows = _without_empty_end(trace, work, rows[np.argsort(slices.start_ns[rows], kind="stable")])
    end = slices.end_of(rows)
    start = _start_behind_phases(trace, slices.start_ns[rows], end)
    names = tuple(trace.names[i] for i in slices.name[rows].tolist())
    host = Steps(
        names, start, end, start, end, _cold(end - start), tuple(distinct(slices.lane[rows]).tolist())
    )
    done_ns = done_on_device(trace, work, host)
    share = (done_ns - end) / np.maximum(end - start, 1)
    if median(share) <= LAG_SHARE:
        return host
    gpu_start, gpu_end = on_device(work, host, done_ns)
    launched = host.index_of(work.launch_start_ns[work.launch != NONE])
    if (gpu_end <= gpu_start)[launched[launched != NONE]].any():
        # Launches and ends that deny each other tell no steps of the device.
        return host
    cold = _cold(gpu_end - gpu_start)
    return dataclasses.replace(host, gpu_start_ns=gpu_start, gpu_end_ns=gpu_end, cold=cold)


def rows_of_steps(trace: Trace, steps: Steps, chosen: npt.NDArray[np.bool_]) -> Int64s:
    """The rows that mark the chosen steps, ascending; `chosen` has one entry a step."""
    slices, rows = trace.slices, matching_rows(trace, STEP_PREFIX, Category.USER_ANNOTATION)
    return rows[is_among(slices.end_of(rows), steps.end_ns[chosen])]


def done_on_device(trace: Trace, work: DeviceWork, steps: Steps) -> Int64s:
    """When the device had done what each host step launched; the host's end where that was earlier.

    By the device's own annotation of the step where there is one, else by the launches in it.
    """
    done: Int64s = steps.end_ns.copy()
    known = work.launch != NONE
    step = steps.index_of(work.launch_start_ns[known])
    np.maximum.at(done, step[step != NONE], work.end_ns[known][step != NONE])
    rows = matching_rows(trace, STEP_PREFIX, Category.GPU_ANNOTATION)
    slices = trace.slices
    number = {name: index for index, name in enumerate(steps.names)}
    for row in rows.tolist():
        index = number.get(trace.names[slices.name[row]])
        if index is not None:
            done[index] = max(done[index], int(slices.start_ns[row] + slices.duration_ns[row]))
    return done


def on_device(work: DeviceWork, steps: Steps, done_ns: Int64s) -> tuple[Int64s, Int64s]:
    """Start and end of the device's steps, each from the end of the one before it to its own end.

    The first begins with the host's. A step begins later where the device still did what was
    launched before the steps, or in a phase that is no part of them.
    """
    ends: Int64s = np.maximum.accumulate(done_ns)
    starts: Int64s = np.concatenate([steps.start_ns[:1], ends[:-1]])
    step = steps.index_of(work.launch_start_ns)
    is_launched = work.launch != NONE
    for index in range(len(steps)):
        own = work.start_ns[is_launched & (step == index)]
        if len(own) == 0:
            continue
        foreign = is_launched & (step == NONE) if index else ~is_launched | (step == NONE)
        before = foreign & (work.end_ns > starts[index]) & (work.start_ns < own.min())
        starts[index] = min(int(work.end_ns[before].max(initial=starts[index])), int(ends[index]))
    return starts, ends


def _start_behind_phases(trace: Trace, start_ns: Int64s, end_ns: Int64s) -> Int64s:
    """The starts of the steps, moved after the last phase of the hook's that lies in each."""
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


def _without_empty_end(trace: Trace, work: DeviceWork, rows: Int64s) -> Int64s:
    """The rows that mark steps, less a last one that launched nothing and is far shorter than the others.

    Profilers are often stopped after a last `step()`, which begins a step that never happens. The hook says
    which steps were over when a window ended early.
    """
    slices, hook = trace.slices, trace.facts
    if hook is not None and 0 < hook.recorded_steps < len(rows):
        unfinished = f"{STEP_PREFIX}{hook.first_step + hook.recorded_steps}"
        if trace.names[slices.name[rows[-1]]] == unfinished:
            return rows[:-1]
    length = slices.duration_ns[rows]
    if len(rows) < _ENOUGH_FOR_AN_END or length[-1] > _EMPTY_SHARE * median(length[:-1]):
        return rows
    calls = matching_rows(trace, _CALLS_OF_A_STEP, Category.RUNTIME)
    began = np.concatenate([work.launch_start_ns[work.launch != NONE], slices.start_ns[calls]])
    start, end = slices.start_ns[rows[-1]], slices.start_ns[rows[-1]] + length[-1]
    is_empty = len(work.rows) > 0 and not ((began >= start) & (began < end)).any()
    return rows[:-1] if is_empty else rows


def _cold(duration_ns: Int64s) -> tuple[bool, ...]:
    cold = [False] * len(duration_ns)
    if len(duration_ns) >= _MIN_STEPS_FOR_COLD:
        cold[0] = bool(duration_ns[0] > COLD_FACTOR * median(duration_ns[1:]))
    return tuple(cold)


def _window(trace: Trace, work: DeviceWork) -> tuple[int, int]:
    if len(work.rows):
        mine = ~_is_of_before(trace, work)
        return int(work.start_ns[mine].min()), int(work.end_ns[mine].max())
    slices = trace.slices
    known = slices.category != Category.OTHER
    if holds_only_allocations(trace) and trace.memory is not None:
        return int(trace.memory.time_ns.min()), int(trace.memory.time_ns.max())
    if not known.any():
        return 0, 0
    start = slices.start_ns[known]
    return int(start.min()), int((start + slices.duration_ns[known]).max())


def _is_of_before(trace: Trace, work: DeviceWork) -> npt.NDArray[np.bool_]:
    """Whether work was over before the host's first call on record, longer ago than the rest goes on.

    What the program launched long before is none of what was recorded, nor is the time in between.
    """
    none = np.zeros(len(work.rows), np.bool_)
    calls = trace.slices.start_ns[trace.slices.category == Category.RUNTIME]
    if not len(calls):
        return none
    before = (work.launch == NONE) & (work.end_ns < calls.min())
    if before.all() or not before.any():
        return none
    begin, end = work.start_ns[~before].min(), work.end_ns[~before].max()
    return before if begin - work.end_ns[before].max() > end - begin else none


def gpu_lag_ns(work: DeviceWork, steps: Steps) -> Int64s | None:
    """One figure a step, 0 where its work ended in time; None without recorded steps or launches.

    Work belongs to the step that holds the start of the call that launched it.
    """
    known = work.launch != NONE
    if not steps.recorded or not known.any():
        return None
    step = steps.index_of(work.launch_start_ns[known])
    end = work.end_ns[known]
    last = steps.end_ns.copy()
    inside = step != NONE
    np.maximum.at(last, step[inside], end[inside])
    lag: Int64s = last - steps.end_ns
    return lag


def lag_in_steps(share: float) -> dict[str, float]:
    """How late that is, of a step on the host: as a share of it, or as a number of steps where it is more."""
    return {"worst_share": share} if share <= 1 else {"worst_steps": share}
