"""Nothing that an earlier process left in its spool is forgotten."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from tbprof.folders import FORGOTTEN_SECONDS
from tbprof.hook.orphan_recovery import recover_windows
from tbprof.hook.processes import process_name
from tbprof.hook.spool import facts_path, hold_folder, inputs_path, log_path, open_spool


def process_that_is_over() -> str:
    """The name of this process with another start: its number was given away again."""
    name, _, start = process_name().rpartition("-")
    return f"{name}-{int(start) + 1}"


def leave_window(folder: Path, stem: str = "w.1", *, with_facts: bool = True) -> Path:
    """A window as a process leaves it that was killed after its export."""
    folder.mkdir(parents=True, exist_ok=True)
    trace = folder / f"{stem}.pt.trace.json"
    trace.write_text("{}")
    if with_facts:
        facts_path(trace).write_text("{}")
    return trace


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The spool folder of this process."""
    return open_spool(tmp_path / "logs", tmp_path / "place")


def test_whole_windows_of_a_dead_process_are_taken_over(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    leave_window(orphan)
    inputs_path(orphan / "w.1.pt.trace.json").write_text("{}")
    (trace,) = recover_windows(folder)
    assert trace == folder / f"adopted-{orphan.name}" / "w.1.pt.trace.json"
    assert sorted(trace.parent.iterdir()) == [facts_path(trace), inputs_path(trace), trace]
    assert list(folder.parent.iterdir()) == [folder]


def test_leftovers_of_a_dead_process_are_removed_and_a_lost_window_is_said(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    orphan = folder.parent / process_that_is_over()
    leave_window(orphan, with_facts=False)
    (orphan / "w.2.pt.trace.json.tmp").write_text("{")
    (orphan / "recording").mkdir()
    assert list(recover_windows(folder)) == []
    assert list(folder.parent.iterdir()) == [folder]
    assert list(folder.iterdir()) == []
    assert caplog.messages == [
        "A window was lost because its process ended while writing it: w.1.pt.trace.json"
    ]


def test_windows_survive_a_process_that_died_while_it_took_them_over(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    leave_window(orphan / "adopted-earlier")
    assert list(recover_windows(folder)) == [folder / "adopted-earlier" / "w.1.pt.trace.json"]
    assert [path.name for path in folder.iterdir()] == ["adopted-earlier"]


def test_a_folder_that_can_t_be_looked_through_costs_no_more_than_its_windows(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(path: Path) -> list[Path]:
        raise PermissionError(path)

    monkeypatch.setattr(Path, "iterdir", unreadable)
    assert list(recover_windows(folder)) == []


def test_a_folder_that_is_held_is_kept(folder: Path) -> None:
    other = folder.parent / f"{process_name()}.1"
    trace = leave_window(other)
    descriptor = hold_folder(other)
    assert descriptor is not None
    assert list(recover_windows(folder)) == []
    assert trace.exists()
    os.close(descriptor)
    assert [taken.name for taken in recover_windows(folder)] == [trace.name]


@pytest.fixture
def no_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that can't lock a folder, as NFS."""

    def refuse(descriptor: int, how: int) -> None:
        raise OSError(errno.EBADF, f"no lock {how} on {descriptor}")

    monkeypatch.setattr("fcntl.flock", refuse)


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_living_process_keeps_its_folder(folder: Path) -> None:
    parent = f"{process_name(os.getppid())}"
    trace = leave_window(folder.parent / parent)
    assert list(recover_windows(folder)) == []
    assert trace.exists()


@pytest.mark.usefixtures("no_locks")
def test_so_does_one_whose_window_is_still_being_published(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    trace = leave_window(orphan)
    log_path(trace).write_text(f"publisher {process_name()}\n")
    assert list(recover_windows(folder)) == []
    log_path(trace).write_text(f"publisher {process_that_is_over()}\nkilled\n")
    assert [taken.name for taken in recover_windows(folder)] == ["w.1.pt.trace.json"]


@pytest.mark.usefixtures("no_locks")
def test_without_locks_a_process_of_another_container_is_given_a_day(folder: Path) -> None:
    host, boot, started = process_name().rsplit("-", 3)[0], "8e9bf4ef.4026532999", "77"
    orphan = folder.parent / f"{host}-{boot}-1-{started}"
    leave_window(orphan)
    assert list(recover_windows(folder)) == []
    long_ago = time.time() - FORGOTTEN_SECONDS - 60
    os.utime(orphan, (long_ago, long_ago))
    assert len(list(recover_windows(folder))) == 1


@pytest.mark.usefixtures("no_locks")
def test_a_folder_that_vanishes_while_it_is_looked_at_is_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = leave_window(folder.parent / process_that_is_over())
    log_path(trace).write_text("")

    def gone(path: Path, **options: object) -> str:
        raise FileNotFoundError(path, options)

    monkeypatch.setattr(Path, "read_text", gone)
    assert list(recover_windows(folder)) == []
    assert trace.exists()


def test_a_process_of_another_host_is_given_a_day(folder: Path) -> None:
    orphan = folder.parent / "another-host-8e9bf4ef.4026531836-1-5"
    leave_window(orphan)
    assert list(recover_windows(folder)) == []
    long_ago = time.time() - FORGOTTEN_SECONDS - 60
    os.utime(orphan, (long_ago, long_ago))
    assert len(list(recover_windows(folder))) == 1


def test_of_two_that_adopt_one_gets_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_window(folder.parent / process_that_is_over())

    def taken_by_another(source: Path, target: Path) -> Path:
        raise FileNotFoundError(source, target)

    monkeypatch.setattr(Path, "rename", taken_by_another)
    assert list(recover_windows(folder)) == []
