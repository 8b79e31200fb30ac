"""Two reads a step, each of which takes over the wait of the other."""

from __future__ import annotations

from scenes import read_scalar
from trace_builder import TraceBuilder


def masked_reads(*, between: float = 0, length: float = 1000, second: str = "aten::copy_") -> TraceBuilder:
    """Four steps in each of which the host works `between` us from one read to the next.

    The device works for 400 us before the reads and 400 after them, and the host for 100 in
    between. Without the first read the second one waits as long, less `between`; without the
    second the first one still waits.
    """
    built = TraceBuilder()
    for number in range(4):
        start = length * number
        built.step(number, start, start + length)
        built.launch(start + 10, start + 15, runs=(start + 20, start + 420))
        read_scalar(built, start + 30, wait=394)
        read_scalar(built, start + 440 + between, wait=12, ops=(second,), size_bytes=64)
        launched = start + 560 + between
        built.launch(launched, launched + 5, runs=(launched + 10, start + 990))
    return built
