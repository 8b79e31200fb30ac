"""What a GPU's allocator said when it failed, kept until the program leaves on it; played by a stand-in."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from stand_in_allocator import StandInAllocator

from tbprof import TrainerHook
from tbprof.hook.memory import allocator_snapshot
from tbprof.hook.memory.allocator_snapshot import latest_failure, watch_allocations
from tbprof.snapshot import read_snapshot
from tbprof.store.memory_files import OUT_OF_MEMORY_FILE

TOTAL, FREE = 80_000_000_000, 1_000_000


@pytest.fixture
def allocator(monkeypatch: pytest.MonkeyPatch) -> StandInAllocator:
    monkeypatch.setattr(allocator_snapshot, "_WATCH", allocator_snapshot._Watch())
    return StandInAllocator().install(monkeypatch)


def watched_steps(hook: TrainerHook) -> None:
    """So many that the hook has looked at the training, and fewer than a window needs."""
    for _ in range(10):
        hook.step()


def test_the_process_has_one_observer_however_often_it_is_asked_for(allocator: StandInAllocator) -> None:
    watch_allocations()
    watch_allocations()
    assert len(allocator.observers) == 1


def test_a_training_that_leaves_on_it_leaves_what_was_there_at_that_moment(
    allocator: StandInAllocator, tmp_path: Path
) -> None:
    error = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total ...")
    with pytest.raises(torch.OutOfMemoryError) as raised, TrainerHook(tmp_path / "run", memory=True) as hook:
        watched_steps(hook)
        allocator.fail(0, 2 << 30, TOTAL, FREE)
        allocator.blocks = 0
        raise error
    assert raised.value is error
    (left,) = (tmp_path / "run").glob("*.out_of_memory.json")
    found = OUT_OF_MEMORY_FILE.read(left)
    sizes = (found.total_bytes, found.free_bytes, found.allocated_bytes, found.reserved_bytes)
    assert sizes == (TOTAL, FREE, 3000, 4000)
    (device,) = read_snapshot(left.with_suffix(".pickle")).devices
    assert device.allocated_bytes == 3000


def test_a_failure_that_the_program_gets_over_is_no_file(allocator: StandInAllocator, tmp_path: Path) -> None:
    with TrainerHook(tmp_path / "run", memory=True) as hook:
        watched_steps(hook)
        allocator.fail(0, 100, TOTAL, FREE)
    assert len(allocator.observers) == 1
    assert not list((tmp_path / "run").glob("*.out_of_memory.*"))


def test_without_memory_nothing_is_watched(allocator: StandInAllocator, tmp_path: Path) -> None:
    with TrainerHook(tmp_path / "run") as hook:
        watched_steps(hook)
    assert allocator.observers == []


def test_of_another_device_and_of_an_earlier_error_it_tells_nothing(allocator: StandInAllocator) -> None:
    watch_allocations()
    allocator.fail(1, 100, TOTAL, FREE)
    assert latest_failure(0) is None
    assert latest_failure(1) is not None
    assert latest_failure(1) is None


def test_what_fails_in_the_observer_hides_no_error(
    allocator: StandInAllocator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise ValueError("a fault of ours")

    watch_allocations()
    monkeypatch.setattr(allocator_snapshot, "snapshot_of", fails)
    allocator.fail(0, 100, TOTAL, FREE)
    assert latest_failure(0) is None


def test_an_allocator_without_figures_tells_the_rest(
    allocator: StandInAllocator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object = None) -> None:
        raise RuntimeError("does not yet support getDeviceStats")

    watch_allocations()
    monkeypatch.setattr(torch.cuda, "memory_stats_as_nested_dict", fails)
    allocator.fail(0, 100, TOTAL, FREE)
    found = latest_failure(0)
    assert found is not None
    assert (found.free_bytes, found.allocated_bytes, found.snapshot) == (FREE, None, None)


def test_without_a_gpu_in_use_nothing_is_attached(
    allocator: StandInAllocator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    watch_allocations()
    assert allocator.observers == []
