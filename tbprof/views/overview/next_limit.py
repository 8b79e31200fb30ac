"""What limits a step once the fix plan is done."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.texts.findings.next_limit import limit_sentence
from tbprof.views.overview.overview import CauseRow, DeviceBar

_BUSY_SHARE = 0.9
"""From here on the device itself is the limit."""


def next_limit(device: DeviceBar | None, causes: Sequence[CauseRow], saved_us: float | None) -> str:
    """A sentence; "" where nothing is planned, or no device was recorded.

    What the plan saves is taken from the idle after sync points first, then from the largest other
    cause: a wait that drains the queue exposes the idle of the others.

    Args:
        device: Means of a step.
        causes: Idle of a step by cause.
        saved_us: The plan's estimate, of a step.
    """
    if device is None or not saved_us:
        return ""
    left = _left(causes, saved_us)
    busy_us = device.computing_us + device.communication_us + device.copying_us
    step_us = busy_us + sum(left.values())
    if busy_us >= _BUSY_SHARE * step_us or not left:
        return limit_sentence("device", busy_us, step_us)
    cause = max(left, key=lambda name: left[name])
    return limit_sentence(cause, left[cause], step_us)


def _left(causes: Sequence[CauseRow], saved_us: float) -> dict[str, float]:
    left = {}
    for row in sorted(causes, key=lambda row: (row.cause != "sync", -row.idle_us)):
        taken = min(row.idle_us, saved_us)
        saved_us -= taken
        left[row.cause] = row.idle_us - taken
    return left
