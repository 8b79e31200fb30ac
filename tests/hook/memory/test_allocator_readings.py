"""What lies unused in the cache of a GPU's allocator, along the curve of what storages hold."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from stand_in_cuda import NO_STATISTICS, StandInCuda

from tbprof.hook.memory import blocks
from tbprof.hook.memory.blocks import AllocatorReadings, Block, Log, Unused, peak_of


class Allocator:
    """Answers as `torch.cuda.memory_stats_as_nested_dict`, of which it has two figures."""

    def __init__(self) -> None:
        self.reserved = self.allocated = self.asked = 0

    def __call__(self, _: object = None) -> dict[str, Any]:
        self.asked += 1
        sizes = {"reserved_bytes": self.reserved, "allocated_bytes": self.allocated}
        return {name: {"all": {"current": size}} for name, size in sizes.items()}


@pytest.fixture
def allocator(monkeypatch: pytest.MonkeyPatch) -> Allocator:
    StandInCuda().install(monkeypatch)
    found = Allocator()
    monkeypatch.setattr(torch.cuda, "memory_stats_as_nested_dict", found)
    monkeypatch.setattr(blocks, "_SELDOM_NS", 0)
    return found


def add(log: Log, allocator: Allocator, size: int, *, is_made: bool = True) -> Block:
    """A block of the program's: the allocator rounds it to 512 bytes, and takes segments of 4,096."""
    if is_made:
        allocator.allocated += -(-size // 512) * 512
        allocator.reserved = max(allocator.reserved, -(-allocator.allocated // 4096) * 4096)
    block = Block(size, "cuda:0", "forward", is_made=is_made)
    log.add(block)
    return block


def test_the_cache_is_there_at_each_point_and_at_the_peak(allocator: Allocator) -> None:
    log = Log()
    allocator.allocated, allocator.reserved = 1024, 4096
    add(log, allocator, 1000, is_made=False)
    first = add(log, allocator, 2000)
    log.free(first, "forward")
    add(log, allocator, 5000)
    peak = peak_of(log)
    assert peak is not None
    assert [sum(point[1:]) for point in peak.curve] == [1000, 3000, 1000, 6000]
    # After the free the allocator was not asked: its storage is counted, without the rounding.
    assert peak.cached == [3072, 1024, 3024, 8192 - 1024 - 2048 - 5120]
    assert peak.cached_bytes == peak.cached[-1]


def test_in_between_it_is_not_asked_and_storages_are_counted(
    allocator: Allocator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_SELDOM_NS", 10**12)
    log = Log()
    add(log, allocator, 512)
    add(log, allocator, 512)
    log.free(add(log, allocator, 1024), "forward")
    peak = peak_of(log)
    assert allocator.asked == 1
    assert peak is not None
    assert peak.cached == [4096 - 512, 4096 - 1024, 4096 - 2048, 4096 - 1024]


def test_the_host_has_no_cache_and_is_not_asked(allocator: Allocator) -> None:
    log = Log()
    log.add(Block(100, "cpu", "forward"))
    peak = peak_of(log)
    assert peak is not None
    assert (peak.cached, peak.cached_bytes, allocator.asked) == (None, None, 0)


def test_an_allocator_that_keeps_no_figures_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def fails(device: Any = None) -> dict[str, Any]:
        asked.append(device)
        raise RuntimeError(NO_STATISTICS)

    monkeypatch.setattr(torch.cuda, "memory_stats_as_nested_dict", fails)
    readings = AllocatorReadings()
    for moment in range(3):
        readings.look("cuda:0", moment)
    assert (asked, readings.found) == (["cuda:0"], {})


def test_it_is_never_less_than_nothing() -> None:
    unused = Unused({0: (1000, 900)})
    assert [unused.after(0, 900), unused.after(1, 500), unused.after(2, -500)] == [100, 0, 100]
