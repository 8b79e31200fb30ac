"""Files of memory beside the windows: there are never many."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tbprof.file_names import PIN_NAME
from tbprof.hook.memory.memory_step import leave_file
from tbprof.hook.memory.out_of_memory import look_at, write_beside_windows

FAILURE = look_at(MemoryError("no more"), "host_1", 3)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def leave(folder: Path, *stems: str, of_all_workers: bool = False) -> None:
    for stem in stems:
        leave_file(FAILURE, folder / f"{stem}.out_of_memory.json", 2, of_all_workers=of_all_workers)


def test_the_oldest_of_a_worker_goes(tmp_path: Path) -> None:
    leave(tmp_path, "a.9", "a.10", "b.1", "a.11")
    assert names(tmp_path) == [f"{stem}.out_of_memory.json" for stem in ("a.10", "a.11", "b.1")]


def test_a_job_that_fails_again_and_again_has_another_worker_each_time(tmp_path: Path) -> None:
    leave(tmp_path, "a.1", "b.2", "c.3", of_all_workers=True)
    assert names(tmp_path) == ["b.2.out_of_memory.json", "c.3.out_of_memory.json"]


def test_files_of_others_stay(tmp_path: Path) -> None:
    others = ["a.1.memory_step.json", "a.out_of_memory.json", "a.x.out_of_memory.json", "model.pt"]
    for name in others:
        (tmp_path / name).touch()
    leave(tmp_path, "a.2", "a.3", "a.4", of_all_workers=True)
    assert names(tmp_path) == sorted([*others, "a.3.out_of_memory.json", "a.4.out_of_memory.json"])


def test_a_pinned_run_keeps_them(tmp_path: Path) -> None:
    (tmp_path / PIN_NAME).touch()
    leave(tmp_path, "a.1", "a.2", "a.3")
    assert len(names(tmp_path)) == 4


def test_a_hundred_failures_leave_fifty(tmp_path: Path) -> None:
    left = [write_beside_windows(FAILURE, tmp_path) for _ in range(100)]
    assert names(tmp_path) == sorted(path.name for path in left[50:])


def test_no_half_a_file_is_left_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        leave(tmp_path, "a.1")
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_no_name_that_can_be_foreseen_is_written_to(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    run = tmp_path / "run"
    run.mkdir()
    path = run / "worker.17.memory_step.pickle"
    for name in (path.name, f".{path.name}.part", f"{path.name}.tmp"):
        (run / name).symlink_to(theirs)
    leave_file(b"ours", path, 3, of_all_workers=False)
    assert (theirs.read_text(), path.is_symlink(), path.read_bytes()) == ("theirs", False, b"ours")
