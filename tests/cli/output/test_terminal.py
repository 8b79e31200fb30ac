"""A window as text: of several devices each is named with its own idle."""

from __future__ import annotations

from trace_builder import TraceBuilder

from tbprof.cli.terminal import terminal_text


def text_of(*devices: int) -> str:
    """A step of 10 ms; each device works for half of it, and the second for a tenth."""
    built = TraceBuilder()
    built.step(0, 0, 10_000)
    for device, until in zip(devices, (5_000, 1_000), strict=False):
        built.launch(0, 5, runs=(10, 10 + until), device=device)
    return terminal_text(built.report()).replace("\N{NARROW NO-BREAK SPACE}", " ")


def test_one_device_has_no_number() -> None:
    assert "GPU idle     5.0 ms a step, 50 % of the steps: queue empty" in text_of(0)
    assert "why it is idle, a step: " in text_of(0)


def test_each_of_several_devices_has_its_share() -> None:
    text = text_of(0, 1)
    assert "The busiest of 2 GPUs is idle 50 % of the step" in text
    assert "GPU idle     GPU 0 50 %, GPU 1 90 % of the steps; 14.0 ms a step in all: queue empty" in text
    assert "why they are idle, a step: " in text
