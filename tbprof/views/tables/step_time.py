"""How long a step takes, beside what its rows take together: what two windows differ by beyond their rows."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.analysis.facts import Facts
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE
from tbprof.views.base.times import us


@dataclass(frozen=True, slots=True)
class StepTime:
    """Of a mean step, or of a window that marks none."""

    length_us: float
    """The device's step where the host runs ahead."""
    idle_us: float | None
    """None without a device."""
    copies_us: float
    """Copies and memsets that were launched in it, whatever ran beside them."""


def step_times(windows: Sequence[Facts], *, in_steps: bool) -> tuple[StepTime, ...] | None:
    """Of each window; None where they can't be compared.

    That is where one of them marks steps and rows are not of these, where it lost some of its kernels, and
    where it has several devices, which run side by side.
    """
    if any(facts.steps.recorded != in_steps for facts in windows):
        return None
    times = [_step_time(facts) for facts in windows]
    known = tuple(time for time in times if time is not None)
    return known if len(known) == len(times) else None


def _step_time(facts: Facts) -> StepTime | None:
    steps, work = facts.steps, facts.work
    count = max(len(steps), 1)
    if not work.devices:
        return StepTime(us(int((steps.end_ns - steps.start_ns).sum())) / count, None, 0.0)
    if len(facts.idle.by_device) != 1 or not facts.device_is_known:
        return None
    (idle,) = facts.idle.by_device.values()
    counted = ~work.is_kernel
    if steps.recorded:
        counted &= (work.launch != NONE) & (steps.index_of(work.launch_start_ns) != NONE)
    copies_ns = int((work.end_ns - work.start_ns)[counted].sum())
    return StepTime(us(steps.total_ns) / count, us(int(idle.device_ns.sum())) / count, us(copies_ns) / count)
