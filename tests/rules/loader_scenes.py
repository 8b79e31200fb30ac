"""Trainings whose steps begin with a call of the data loader."""

from __future__ import annotations

from trace_builder import TraceBuilder

SINGLE = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def loading(takes: float, *, busy_until: float = 100, name: str = WORKERS, steps: int = 3) -> TraceBuilder:
    """Steps of 100 ms that begin with a call of the loader; the device works beside it and after it."""
    built = TraceBuilder()
    for number in range(steps):
        start = 100_000.0 * number
        built.step(number, start, start + 100_000)
        built.launch(start, start + 5, runs=(start + 5, start + busy_until))
        built.annotation(name, start + 50, start + 50 + takes)
        after = max(start + 50 + takes, start + busy_until)
        built.launch(after, after + 5, runs=(after + 5, start + 100_000))
    return built
