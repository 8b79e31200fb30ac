"""A file that somebody named with `-o`: whole under its name, or as it was."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from tbprof.cli.output_file import Output
from tbprof.errors import UsageError


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("earlier", encoding="utf-8")
    with Output(path) as output:
        output.put("one\n")
        assert path.read_text(encoding="utf-8") == "earlier"
        output.put("µs\n")
    assert path.read_bytes() == "one\nµs\n".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("earlier", [None, "earlier"])
def test_what_fails_on_the_way_leaves_what_was_there(earlier: str | None, tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    if earlier is not None:
        path.write_text(earlier, encoding="utf-8")
    with pytest.raises(ZeroDivisionError), Output(path) as output:
        output.put("half")
        raise ZeroDivisionError
    left = [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()]
    assert left == ([] if earlier is None else [earlier])


def test_a_disk_that_is_full_at_the_end_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "report.txt"
    with (
        pytest.raises(UsageError, match=r"report\.txt can't be written \(No space left on device\)"),
        Output(path) as output,
    ):
        output.put("all")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")
@pytest.mark.parametrize("pieces", [["x"], ["x" * 100_000], ["x" * 100_000, "y"]])
def test_what_is_no_file_is_written_to_itself(pieces: list[str]) -> None:
    with pytest.raises(UsageError, match=r"/dev/full can't be written"), Output(Path("/dev/full")) as output:
        for piece in pieces:
            output.put(piece)
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights, and links for few")
def test_a_link_and_the_rights_of_a_file_stay(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.txt", tmp_path / "link.txt"
    kept.write_text("earlier", encoding="utf-8")
    kept.chmod(0o600)
    link.symlink_to(kept)
    with Output(link) as output:
        output.put("later")
    assert link.is_symlink()
    assert kept.read_text(encoding="utf-8") == "later"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_that_leads_back_to_itself_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    path.symlink_to("loop")
    with pytest.raises(UsageError, match="loop can't be written"), Output(path) as output:
        output.put("all")
    assert path.is_symlink()
