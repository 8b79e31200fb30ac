"""Steps in which ops run one after the other, each with one kernel."""

from __future__ import annotations

from collections.abc import Sequence

from trace_builder import TraceBuilder

STEP_US = 1000.0


def computing(
    *ops: str,
    kernel_us: float = 10,
    kernels: Sequence[str] = (),
    around: str = "",
    steps: int = 3,
    busy_us: float = 300,
    device: str = "",
) -> TraceBuilder:
    """Each step: one long kernel of something else, then these ops, one each 20 us.

    `kernels` are the names of their kernels, else `kernel`; `around` is a range that holds the ops, and
    `device` the name of the device.
    """
    built = TraceBuilder()
    built.device_name = device or built.device_name
    for number in range(steps):
        start = STEP_US * number
        built.step(number, start, start + STEP_US)
        built.launch(start + 5, start + 8, runs=(start + 10, start + 10 + busy_us), name="other")
        if around:
            built.annotation(around, start + 20, start + 30 + 20 * len(ops))
        free = start + 10 + busy_us
        for at, name in enumerate(ops):
            host = start + 25 + 20 * at
            built.op(name, host, host + 15)
            kernel = kernels[at % len(kernels)] if kernels else "kernel"
            built.launch(host + 2, host + 5, runs=(free, free + kernel_us), name=kernel)
            free += kernel_us
    return built
