"""How much of a window its devices did nothing."""

from __future__ import annotations

import dataclasses

from report_samples import changed
from scenes import host_bound

from tbprof.views.lost_time import idle_share

IDLE = host_bound().report()


def test_a_cold_step_counts_no_more_than_in_the_verdict() -> None:
    idle_step, *others = (dataclasses.replace(step, cold=False) for step in IDLE.steps)
    cold = dataclasses.replace(idle_step, cold=True, device_idle_ns=idle_step.length_ns)
    warmed_up = dataclasses.replace(IDLE, steps=(cold, *others))
    only_cold = dataclasses.replace(IDLE, steps=(cold,))
    assert idle_share(warmed_up) == idle_share(dataclasses.replace(IDLE, steps=tuple(others)))
    assert idle_share(only_cold) == 1.0


def test_without_a_gpu_there_is_no_share() -> None:
    assert idle_share(changed(idle=None)) is None
