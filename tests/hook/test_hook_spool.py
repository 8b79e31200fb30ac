"""The spool: private, never in sight of a viewer, and nothing in it is forgotten."""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path

import pytest

from tbprof.errors import UsageError
from tbprof.hook import spool as spool_module
from tbprof.hook.processes import process_name
from tbprof.hook.spool import (
    adopt_windows,
    check_spool,
    facts_path,
    log_path,
    open_spool,
    remove_partial_files,
)


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


def test_files_of_a_window_stand_side_by_side() -> None:
    trace = Path("spool/host_7.12.pt.trace.json")
    assert facts_path(trace) == Path("spool/host_7.12.facts.json")
    assert log_path(trace) == Path("spool/host_7.12.log")


def test_the_folder_is_named_after_logdir_and_process_and_private(folder: Path, tmp_path: Path) -> None:
    assert folder.parent.parent == tmp_path / "place"
    assert folder.name == process_name()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (folder, folder.parent)] == [0o700, 0o700]


def test_a_folder_that_another_user_made_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(PermissionError, match="set TBPROF_SPOOL to a folder of your own"):
        open_spool(tmp_path / "logs", tmp_path / "place")


def test_a_folder_that_vanishes_while_it_is_made_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lstat = Path.lstat
    removed: list[Path] = []

    def lstat_after_removal(path: Path) -> os.stat_result:
        if not removed:
            removed.append(path)
            path.rmdir()
        return lstat(path)

    monkeypatch.setattr(Path, "lstat", lstat_after_removal)
    folder = open_spool(tmp_path / "logs", tmp_path / "place")
    assert folder.is_dir()
    assert removed == [folder.parent]


def test_log_directories_do_not_share_a_folder(folder: Path, tmp_path: Path) -> None:
    assert open_spool(tmp_path / "other", tmp_path / "place").parent != folder.parent
    assert open_spool(tmp_path / "logs", tmp_path / "place") == folder


def test_the_environment_says_where_if_the_caller_does_not(spool: Path, tmp_path: Path) -> None:
    assert open_spool(tmp_path / "logs", None).is_relative_to(spool)


def test_else_it_is_in_the_user_s_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("TBPROF_SPOOL")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert open_spool(tmp_path / "logs", None).is_relative_to(tmp_path / "cache" / "tbprof" / "spool")


def test_a_cache_beneath_the_log_directory_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TBPROF_SPOOL")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    assert open_spool(tmp_path / "home", None).is_relative_to(tmp_path / "tmp")
    with pytest.raises(UsageError, match="give another folder with spool="):
        open_spool(tmp_path, None)


@pytest.mark.parametrize("beneath", ["", "runs/spool"])
def test_a_spool_in_sight_of_viewers_is_refused(tmp_path: Path, beneath: str) -> None:
    with pytest.raises(UsageError, match="lies beneath the log directory"):
        check_spool(tmp_path / "logs" / beneath, tmp_path / "logs")


def test_whole_windows_of_a_dead_process_are_taken_over(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    leave_window(orphan)
    assert list(adopt_windows(folder)) == [folder / "w.1.pt.trace.json"]
    assert facts_path(folder / "w.1.pt.trace.json").exists()
    assert list(folder.parent.iterdir()) == [folder]


def test_leftovers_of_a_dead_process_are_removed(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    leave_window(orphan, with_facts=False)
    (orphan / "w.2.pt.trace.json.tmp").write_text("{")
    assert list(adopt_windows(folder)) == []
    assert list(folder.parent.iterdir()) == [folder]
    assert list(folder.iterdir()) == []


def test_windows_survive_a_process_that_died_while_it_took_them_over(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    leave_window(orphan / "adopted-earlier")
    assert list(adopt_windows(folder)) == [folder / "w.1.pt.trace.json"]


def test_a_living_process_keeps_its_folder(folder: Path) -> None:
    parent = f"{process_name(os.getppid())}"
    trace = leave_window(folder.parent / parent)
    assert list(adopt_windows(folder)) == []
    assert trace.exists()


def test_so_does_one_whose_window_is_still_being_published(folder: Path) -> None:
    orphan = folder.parent / process_that_is_over()
    trace = leave_window(orphan)
    log_path(trace).write_text(f"publisher {process_name()}\n")
    assert list(adopt_windows(folder)) == []
    log_path(trace).write_text(f"publisher {process_that_is_over()}\nkilled\n")
    assert list(adopt_windows(folder)) == [folder / "w.1.pt.trace.json"]


def test_a_folder_that_vanishes_while_it_is_looked_at_is_passed_over(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = leave_window(folder.parent / process_that_is_over())
    log_path(trace).write_text("")

    def gone(path: Path, **options: object) -> str:
        raise FileNotFoundError(path, options)

    monkeypatch.setattr(Path, "read_text", gone)
    assert list(adopt_windows(folder)) == []
    assert trace.exists()


def test_a_process_of_another_host_is_given_a_day(folder: Path) -> None:
    orphan = folder.parent / "another-host-1-5"
    leave_window(orphan)
    assert list(adopt_windows(folder)) == []
    long_ago = time.time() - spool_module.FORGOTTEN_SECONDS - 60
    os.utime(orphan, (long_ago, long_ago))
    assert len(list(adopt_windows(folder))) == 1


def test_of_two_that_adopt_one_gets_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_window(folder.parent / process_that_is_over())

    def taken_by_another(source: Path, target: Path) -> Path:
        raise FileNotFoundError(source, target)

    monkeypatch.setattr(Path, "rename", taken_by_another)
    assert list(adopt_windows(folder)) == []


def test_what_a_failed_export_left_is_removed_and_nothing_else(folder: Path) -> None:
    trace = leave_window(folder)
    (folder / "w.2.pt.trace.json.tmp").write_text("{")
    remove_partial_files(folder)
    assert sorted(folder.iterdir()) == [facts_path(trace), trace]
