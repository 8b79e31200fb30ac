"""Bytes come out of plain and packed files alike, up to a limit and up to the damage."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest
from trace_samples import write

from tbprof.errors import TraceNotReadable, TraceTooLarge
from tbprof.trace.importers.source import ByteSource, open_source

CONTENT = os.urandom(300_000) + b"the end"


@pytest.fixture(autouse=True, params=["isal", "standard library"])
def _unpacker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks: isal where it is installed, or else what Python brings."""
    if request.param == "isal":
        pytest.importorskip("isal")
    else:
        monkeypatch.setitem(sys.modules, "isal.igzip", None)


def read_all(source: ByteSource, size: int = 10_000) -> bytes:
    buffer, read = bytearray(size), bytearray()
    while count := source.readinto(memoryview(buffer)):
        read += buffer[:count]
    return bytes(read)


@pytest.mark.parametrize("packed", [False, True])
def test_content_decides_and_not_the_name(tmp_path: Path, packed: bool) -> None:
    path = write(tmp_path, CONTENT, "plain.gz" if not packed else "packed.json", packed=packed)

    with open_source(path, max_bytes=10**6) as source:
        assert read_all(source) == CONTENT
        assert source.read_bytes == source.total_bytes == path.stat().st_size
        assert source.unpacked_bytes == len(CONTENT)
        assert not source.damaged


@pytest.mark.parametrize("cut", [1, 8, 9, 5_000, 299_000])
def test_packed_bytes_are_kept_up_to_the_damage(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path, gzip.compress(CONTENT, 1)[:-cut])

    with open_source(path, max_bytes=10**6) as source:
        read = read_all(source)

        assert source.damaged
        assert CONTENT.startswith(read)
        assert len(read) >= len(CONTENT) - cut - 70_000


def test_a_failed_check_keeps_all(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(CONTENT, 1))
    packed[-6] ^= 1

    with open_source(write(tmp_path, bytes(packed)), max_bytes=10**6) as source:
        assert read_all(source) == CONTENT
        assert source.damaged


def test_damage_in_a_later_member_keeps_the_earlier_ones(tmp_path: Path) -> None:
    members = gzip.compress(b"first ") + gzip.compress(b"second ") + gzip.compress(CONTENT)

    with open_source(write(tmp_path, members[:-9]), max_bytes=10**6) as source:
        # In one go, so that the fast reader meets the damage before it gave anything.
        assert read_all(source, 2**20).startswith(b"first second " + CONTENT[:200_000])
        assert source.damaged


def test_zeros_behind_a_member_are_padding(tmp_path: Path) -> None:
    members = gzip.compress(b"first ") + bytes(70_000) + gzip.compress(CONTENT) + bytes(500)

    with open_source(write(tmp_path, members), max_bytes=10**6) as source:
        assert read_all(source) == b"first " + CONTENT
        assert not source.damaged


def test_what_was_delivered_alone_tells_how_much_was_read(tmp_path: Path) -> None:
    """So that several processes which share a file agree on where a part of it begins."""
    path = write(tmp_path, CONTENT * 30, packed=True)

    def positions() -> list[int]:
        buffer = memoryview(bytearray(100_000))
        with open_source(path, max_bytes=10**8) as source:
            return [source.read_bytes for _ in iter(lambda: source.readinto(buffer), 0)]

    first = positions()
    assert first == sorted(first)
    assert positions() == first
    assert first[-1] > path.stat().st_size - 200_000


def test_rubbish_behind_packed_bytes_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path, gzip.compress(CONTENT, 1) + b"rubbish")

    with open_source(path, max_bytes=10**6) as source:
        assert read_all(source) == CONTENT
        assert source.damaged


def test_the_limit_counts_what_comes_out(tmp_path: Path) -> None:
    path = write(tmp_path, bytes(1_000_000), packed=True)

    with open_source(path, max_bytes=1_000_000) as source:
        assert len(read_all(source)) == 1_000_000
    with open_source(path, max_bytes=999_999) as source, pytest.raises(TraceTooLarge, match="999,999 bytes"):
        read_all(source)


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path, "is no regular file"),
        (tmp_path / "missing", "No such file"),
        (f"{tmp_path}/nul\0byte", "null"),
        ("/dev/null", "is no regular file"),
    ):
        with pytest.raises(TraceNotReadable, match=reason) as error, open_source(path, 1):
            pass
        assert str(error.value).endswith(".")


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such file")
def test_a_file_of_which_nothing_can_be_read_is_an_error_that_names_it() -> None:
    with pytest.raises(TraceNotReadable, match="/proc/self/mem can't be read"), open_source("/proc/self/mem"):
        pass
