"""Windows are recorded only where there is room for them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import tbprof
from tbprof.hook.window.spooled_windows import LEAST_FREE_BYTES, FreeSpace

MB = 1_000_000


def disk_with(monkeypatch: pytest.MonkeyPatch, free_bytes: int) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free_bytes))


def test_there_is_room_in_an_empty_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk_with(monkeypatch, LEAST_FREE_BYTES)
    assert FreeSpace().is_enough(tmp_path)


def test_a_large_window_asks_for_twice_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    room, trace = FreeSpace(), tmp_path / "trace"
    with trace.open("wb") as file:
        file.truncate(300 * MB)
    room.note(trace)
    disk_with(monkeypatch, 600 * MB)
    assert room.is_enough(tmp_path)
    disk_with(monkeypatch, 599 * MB)
    assert [room.is_enough(tmp_path), room.is_enough(tmp_path)] == [False, False]
    (said,) = caplog.messages
    assert "599 MB left and a window may need 600" in said


def test_a_training_on_a_full_disk_goes_on_and_is_recorded_when_there_is_room(
    tmp_path: Path, training_step: Callable[[], float], monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = tbprof.Schedule(skip_first=1, warmup=1, active=1)
    with monkeypatch.context() as full:
        disk_with(full, 0)
        hook = tbprof.TrainerHook(tmp_path / "logs", schedule=schedule)
        for _ in range(10):
            training_step()
            hook.step()
    for _ in range(20):
        training_step()
        hook.step()
    hook.close(wait_s=60)
    assert len(list((tmp_path / "logs").glob("*.tbprof.pb"))) == 1
