"""The device's own step time: events put into its stream, and read when it has passed them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
import torch

from tbprof.hook.step_clock import FIRST_SPAN_STEPS, SPAN_STEPS, DeviceClock

MS = 1_000_000


@dataclass
class Device:
    """A device that takes `step_ms` a step and has come as far as `passed_ms`."""

    step_ms: float
    passed_ms: float = 0.0
    steps: int = 0

    def record(self) -> Event:
        return Event(self, self.steps * self.step_ms)


@dataclass
class Event:
    device: Device
    at_ms: float

    def query(self) -> bool:
        return self.at_ms <= self.device.passed_ms

    def elapsed_time(self, end_event: Event) -> float:
        return end_event.at_ms - self.at_ms


def look_at(clock: DeviceClock, device: Device, steps: int) -> int | None:
    device.steps = steps
    return clock.look(steps)


def test_a_span_is_read_once_the_device_has_passed_it_and_not_before() -> None:
    device = Device(step_ms=20)
    clock = DeviceClock(device.record)
    assert look_at(clock, device, 0) == FIRST_SPAN_STEPS
    look_at(clock, device, FIRST_SPAN_STEPS)
    assert clock.step_ns is None
    device.passed_ms = 1000
    assert clock.step_ns == 20 * MS
    assert look_at(clock, device, 10) == 10 + SPAN_STEPS


def test_what_is_no_ordinary_step_is_in_no_span() -> None:
    device = Device(step_ms=20, passed_ms=1e9)
    clock = DeviceClock(device.record)
    look_at(clock, device, 0)
    clock.interrupt()
    look_at(clock, device, FIRST_SPAN_STEPS)
    assert clock.step_ns is None
    look_at(clock, device, 2 * FIRST_SPAN_STEPS)
    assert clock.step_ns == 20 * MS


def test_without_cuda_there_is_nothing_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    clock = DeviceClock()
    assert clock.look(10) is None
    assert clock.step_ns is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_on_a_gpu_it_measures_what_the_gpu_does() -> None:
    matrix = torch.ones(2048, 2048, device="cuda")
    clock = DeviceClock()
    clock.look(0)
    for _ in range(FIRST_SPAN_STEPS):
        matrix @ matrix
    clock.look(FIRST_SPAN_STEPS)
    torch.cuda.synchronize()
    assert clock.step_ns is not None
    assert clock.step_ns > 0
