"""Torch's allocator and its history in a step, as the hook asks for them on a GPU; played by a stand-in."""

from __future__ import annotations

import pytest
from stand_in_allocator import StandInAllocator

from tbprof.hook.memory import allocator_snapshot
from tbprof.hook.memory.allocator_snapshot import MOST_BLOCKS, MOST_EVENTS, AllocatorHistory, snapshot_of
from tbprof.snapshot import snapshot_in


@pytest.fixture
def allocator(monkeypatch: pytest.MonkeyPatch) -> StandInAllocator:
    return StandInAllocator().install(monkeypatch)


def test_a_history_is_bounded_and_ends_with_the_step(allocator: StandInAllocator) -> None:
    history = AllocatorHistory()
    history.begin()
    assert allocator.is_recording
    found = history.end(0)
    options = {"context": "alloc", "stacks": "python", "max_entries": MOST_EVENTS}
    assert allocator.calls == [("all", options), "snapshot", (None, {})]
    assert found is not None
    (device,) = snapshot_in(found, "step").devices
    assert (device.allocated_bytes, dict(device.events)) == (3000, {"alloc": 2})
    assert device.held[0].place == "/home/ada/train.py(7): main"


def test_the_program_s_own_history_is_left_alone(allocator: StandInAllocator) -> None:
    allocator.is_recording = True
    history = AllocatorHistory()
    history.begin()
    assert history.end(0) is None
    assert (allocator.calls, allocator.is_recording) == ([], True)


def test_an_allocator_that_refuses_costs_the_history_only(allocator: StandInAllocator) -> None:
    allocator.is_refusing = True
    history = AllocatorHistory()
    history.begin()
    assert history.end(0) is None
    assert not allocator.is_recording


def test_without_a_gpu_in_use_nothing_is_asked() -> None:
    history = AllocatorHistory()
    history.begin()
    assert history.end(0) is None


def test_more_blocks_than_can_be_copied_at_once_are_none(allocator: StandInAllocator) -> None:
    allocator.blocks = MOST_BLOCKS + 1
    assert snapshot_of(0) is None
    assert allocator.calls == []


def test_a_large_snapshot_goes_without_its_events_and_a_larger_one_is_none(
    allocator: StandInAllocator, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocator.events = 1000
    monkeypatch.setattr(allocator_snapshot, "MOST_BYTES", 1000)
    found = snapshot_of(0)
    assert found is not None
    assert dict(snapshot_in(found, "step").devices[0].events) == {}
    monkeypatch.setattr(allocator_snapshot, "MOST_BYTES", 10)
    assert snapshot_of(0) is None
