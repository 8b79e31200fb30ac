"""The spool: private, and never in sight of a viewer."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tbprof.errors import UsageError
from tbprof.hook.processes import process_name
from tbprof.hook.spool import (
    check_spool,
    facts_path,
    log_path,
    open_spool,
    remove_empty_folders,
    remove_partial_files,
)


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
    with pytest.raises(UsageError, match="set TBPROF_SPOOL to a folder of your own"):
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


@pytest.mark.parametrize("unusable", ["cache", "home"])
def test_where_the_cache_can_t_be_made_the_second_place_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, unusable: str
) -> None:
    monkeypatch.delenv("TBPROF_SPOOL")
    if unusable == "cache":
        (tmp_path / "cache").write_text("no folder")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    else:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "tmp"))
    assert open_spool(tmp_path / "logs", None).is_relative_to(tmp_path / "tmp")


def no_home() -> Path:
    raise RuntimeError("Could not determine home directory.")


def test_where_no_place_can_be_made_it_is_said_what_to_give(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    for name in ("TBPROF_SPOOL", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "file"))
    with pytest.raises(UsageError, match=r"no place where windows can wait .*spool=.*TBPROF_SPOOL") as raised:
        open_spool(tmp_path / "logs", None)
    assert str(raised.value).count("Not a directory") == 2


@pytest.mark.parametrize("beneath", ["", "runs/spool"])
def test_a_spool_in_sight_of_viewers_is_refused(tmp_path: Path, beneath: str) -> None:
    with pytest.raises(UsageError, match="lies beneath the log directory"):
        check_spool(tmp_path / "logs" / beneath, tmp_path / "logs")


def test_what_a_failed_export_left_is_removed_and_nothing_else(folder: Path) -> None:
    (folder / "w.1.pt.trace.json").write_text("{}")
    (folder / "w.2.pt.trace.json.tmp").write_text("{")
    remove_partial_files(folder)
    assert list(folder.iterdir()) == [folder / "w.1.pt.trace.json"]


def test_folders_go_as_far_as_nothing_is_in_them(folder: Path) -> None:
    (folder / "empty" / "below").mkdir(parents=True)
    (folder / "kept" / "below").mkdir(parents=True)
    (folder / "kept" / "file").write_text("")
    remove_empty_folders(folder)
    assert sorted(folder.rglob("*")) == [folder / "kept", folder / "kept" / "file"]


@pytest.mark.skipif(os.name == "nt", reason="owners and modes are of POSIX")
@pytest.mark.parametrize("first", ["of others", "a link", "open to others", "no folder"])
def test_a_temporary_place_that_somebody_else_made_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, first: str
) -> None:
    monkeypatch.delenv("TBPROF_SPOOL")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    place = tmp_path / f"tbprof-spool-{os.getuid()}"
    if first == "a link":
        (tmp_path / "theirs").mkdir(mode=0o700)
        place.symlink_to("theirs")
    elif first == "no folder":
        place.write_text("")
    else:
        place.mkdir(mode=0o700)
        place.chmod(0o777 if first == "open to others" else 0o700)
    if first == "of others":
        monkeypatch.setattr(os, "getuid", lambda: 4711)
        place.rename(place.with_name("tbprof-spool-4711"))
        place = place.with_name("tbprof-spool-4711")
        made = Path.mkdir
        lstat = Path.lstat
        # What is made from now on is the user's, and that one was there.
        own: set[Path] = set()

        def noting_mkdir(path: Path, *given: Any, **named: Any) -> None:
            made(path, *given, **named)
            own.add(path)

        def lstat_of(path: Path) -> os.stat_result:
            status = lstat(path)
            return os.stat_result((*status[:4], 4711 if path in own else status[4], *status[5:]))

        monkeypatch.setattr(Path, "mkdir", noting_mkdir)
        monkeypatch.setattr(Path, "lstat", lstat_of)
    used = open_spool(tmp_path / "logs", None)
    assert used.is_relative_to(place.with_name(f"{place.name}.1"))
    assert open_spool(tmp_path / "logs", None) == used
