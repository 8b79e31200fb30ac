"""What limits a step once the plan is done."""

from __future__ import annotations

import pytest

from tbprof.views.action_rows import next_limit
from tbprof.views.overview import CauseRow, DeviceBar

DEVICE = DeviceBar(computing_us=500.0, communication_us=0.0, copying_us=100.0, idle_us=400.0)


def causes(**idle_us: float) -> list[CauseRow]:
    return [CauseRow(cause, cause, idle, 0.0, ()) for cause, idle in idle_us.items()]


@pytest.mark.parametrize(
    ("idle", "saved_us", "limit"),
    [
        # What is saved comes out of the idle after waits first.
        ({"sync": 300.0, "launch": 100.0}, 250.0, "launches the GPU's work late"),
        ({"sync": 300.0, "launch": 40.0}, 150.0, "waits that can't simply go"),
        # More than that was exposed by the waits: it comes out of the largest other cause.
        ({"sync": 100.0, "data": 200.0, "launch": 100.0}, 250.0, "launches the GPU's work late"),
        ({"sync": 390.0, "data": 10.0}, 390.0, "Then the GPU is the limit: it works 0.6\u202fms"),
        ({"sync": 100.0, "moon_phase": 300.0}, 100.0, "moon phase is the limit"),
    ],
)
def test_the_largest_part_that_is_left_limits(idle: dict[str, float], saved_us: float, limit: str) -> None:
    assert limit in next_limit(DEVICE, causes(**idle), saved_us)


@pytest.mark.parametrize(("device", "saved_us"), [(None, 10.0), (DEVICE, None), (DEVICE, 0.0)])
def test_without_a_plan_or_a_device_nothing_is_said(device: DeviceBar | None, saved_us: float | None) -> None:
    assert next_limit(device, causes(sync=400.0), saved_us) == ""


def test_the_step_is_the_one_after_the_plan() -> None:
    said = next_limit(DEVICE, causes(sync=300.0, data=100.0), 300.0)
    assert said.endswith("idle for it 0.1\u202fms of 0.7\u202fms.")
