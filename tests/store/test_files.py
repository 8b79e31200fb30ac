"""Files appear whole or not at all, whatever the disk does in between."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tbprof import safe_open
from tbprof.safe_open import PART_SUFFIX
from tbprof.store import files
from tbprof.store.discovery import Discovery
from tbprof.store.files import appearing, remove_abandoned_parts, write_whole

OPERATIONS = ("open", "fsync", "replace")
ERRNOS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.ESTALE, errno.EDQUOT)


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def failing(code: int) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> Any:
        raise OSError(code, os.strerror(code))

    return fail


def break_operation(monkeypatch: pytest.MonkeyPatch, operation: str, code: int) -> None:
    owner = os if operation == "fsync" else files.Path
    monkeypatch.setattr(owner, operation, failing(code))


def test_a_file_appears_with_all_its_bytes(tmp_path: Path) -> None:
    with appearing(tmp_path / "a") as file:
        file.write(b"one ")
        assert not (tmp_path / "a").exists()
        file.write(b"two")
    assert (tmp_path / "a").read_bytes() == b"one two"
    assert names_in(tmp_path) == ["a"]


def test_what_was_there_before_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("code", ERRNOS, ids=errno.errorcode.get)
@pytest.mark.parametrize("before", [None, b"old"])
def test_a_failing_disk_leaves_things_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, operation: str, code: int, before: bytes | None
) -> None:
    path = tmp_path / "a"
    if before is not None:
        path.write_bytes(before)
    with monkeypatch.context() as patched:
        break_operation(patched, operation, code)
        with pytest.raises(OSError) as raised:
            write_whole(path, b"new")
    assert raised.value.errno == code
    assert (path.read_bytes() if path.exists() else None) == before
    assert [name for name in names_in(tmp_path) if name != "a"] == []


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "full"), MemoryError(), KeyboardInterrupt()])
def test_a_fault_while_writing_leaves_nothing(tmp_path: Path, fault: BaseException) -> None:
    with pytest.raises(type(fault)), appearing(tmp_path / "a") as file:
        file.write(b"half of i")
        raise fault
    assert names_in(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_disk_that_fills_up_at_the_last_flush_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_open = Path.open
    monkeypatch.setattr(files.Path, "open", lambda _, __: really_open(Path("/dev/full"), "wb"))
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a", b"bytes")
    assert names_in(tmp_path) == []


def test_no_viewer_takes_a_file_that_is_being_written_for_a_window(tmp_path: Path) -> None:
    with appearing(tmp_path / "w.1752215573993169006.trace.json.gz") as file:
        file.write(b'{"traceEvents": [')
        [part] = names_in(tmp_path)
        assert part.startswith(".")
        assert part.endswith(PART_SUFFIX)
        assert Discovery(tmp_path, lambda _: True).find().windows == ()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no umask")
@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o027, 0o640), (0o002, 0o664)])
def test_the_umask_is_honored(tmp_path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "a", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_two_writers_of_one_name_do_not_mix(tmp_path: Path) -> None:
    with appearing(tmp_path / "a") as first:
        first.write(b"first")
        with appearing(tmp_path / "a") as second:
            second.write(b"second")
        assert (tmp_path / "a").read_bytes() == b"second"
    assert (tmp_path / "a").read_bytes() == b"first"
    assert names_in(tmp_path) == ["a"]


def test_the_error_that_came_first_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.Path, "unlink", failing(errno.EROFS))
    with pytest.raises(OSError, match="full"), appearing(tmp_path / "a"):
        raise OSError(errno.ENOSPC, "full")


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps open files from being removed by itself")
def test_what_nobody_writes_any_more_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / f".dead{PART_SUFFIX}").write_bytes(b"half")
    (tmp_path / "mine.part").write_bytes(b"no hidden file")
    with appearing(tmp_path / "a") as file:
        file.write(b"all of it")
        remove_abandoned_parts(tmp_path)
    assert names_in(tmp_path) == ["a", "mine.part"]


def test_where_there_are_no_locks_age_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, young = tmp_path / f".old{PART_SUFFIX}", tmp_path / f".young{PART_SUFFIX}"
    for part in (old, young):
        part.write_bytes(b"half")
    os.utime(old, (0, 0))
    monkeypatch.setattr(files, "lock", failing(errno.ENOLCK))
    remove_abandoned_parts(tmp_path)
    assert names_in(tmp_path) == [young.name]


def test_a_file_that_was_taken_away_before_it_was_held_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []

    def take_away(*_: object) -> None:
        if not taken:
            taken.extend(tmp_path.glob(f".*{PART_SUFFIX}"))
            taken[0].unlink()

    monkeypatch.setattr(safe_open, "lock", take_away)
    write_whole(tmp_path / "a", b"all of it")
    assert (tmp_path / "a").read_bytes() == b"all of it"
    assert len(taken) == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes and links need a privilege on Windows")
def test_what_is_no_file_is_not_waited_for_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / f".pipe{PART_SUFFIX}")
    (tmp_path / f".device{PART_SUFFIX}").symlink_to("/dev/zero")
    (tmp_path / f".link{PART_SUFFIX}").symlink_to(tmp_path / "of_others")
    (tmp_path / "of_others").write_bytes(b"theirs")
    before = names_in(tmp_path)
    remove_abandoned_parts(tmp_path)
    assert names_in(tmp_path) == before
