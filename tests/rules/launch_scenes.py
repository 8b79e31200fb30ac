"""Trainings whose host can't keep up with the device, or does something else meanwhile."""

from __future__ import annotations

from trace_builder import TraceBuilder

AUTOGRAD = 200
"""The thread that runs the backward pass."""


def hand_written_loss(
    kernels: int = 9, *, takes: float = 4, launched_every: float = 20, label: str = "loss", steps: int = 3
) -> TraceBuilder:
    """Steps of 1000 us: work until 150, a loss of short kernels, each launched by an op, then work again.

    The device is idle for 8 before the first of them, and from the end of each to the next.
    """
    built = TraceBuilder()
    for number in range(steps):
        start = 1000.0 * number
        built.step(number, start, start + 1000)
        built.launch(start, start + 2, runs=(start + 2, start + 150))
        rest = start + 156 + kernels * launched_every
        if label:
            built.annotation(label, start + 149, rest - 1)
        for index in range(kernels):
            at = start + 155 + index * launched_every
            built.op("aten::mul", at, at + 5)
            built.launch(at + 1, at + 3, runs=(at + 3, at + 3 + takes))
        built.launch(rest, rest + 2, runs=(rest + 2, start + 1000))
    return built


def pausing(pause: float, *, code: str = "augment", steps: int = 3) -> TraceBuilder:
    """Steps of 10 ms in which the host launches nothing for `pause` us, and the device is dry then."""
    built = TraceBuilder()
    for number in range(steps):
        start = 10_000.0 * number
        built.step(number, start, start + 10_000)
        built.launch(start, start + 1, runs=(start + 1, start + 2))
        if code:
            built.annotation(code, start + 1, start + 1 + pause)
        built.launch(start + 1 + pause, start + 2 + pause, runs=(start + 2 + pause, start + 10_001))
    return built
