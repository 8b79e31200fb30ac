"""The limit of what a file may unpack to is stated, and the user's to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from bombs import BOMBS, pack, pieces
from trace_samples import a_step, classic, write

from tbprof.errors import TraceTooLarge, UsageError
from tbprof.trace.importers.kineto.reader import read_trace
from tbprof.trace.importers.unpacked import MAX_BYTES_VARIABLE, max_trace_bytes

MIB, GIB = 1024**2, 1024**3


@pytest.mark.parametrize(
    ("packed_bytes", "limit_bytes"), [(0, 128 * MIB), (MIB, 128 * MIB), (2 * MIB, 200 * MIB), (GIB, 16 * GIB)]
)
def test_the_default(monkeypatch: pytest.MonkeyPatch, packed_bytes: int, limit_bytes: int) -> None:
    monkeypatch.delenv(MAX_BYTES_VARIABLE, raising=False)

    assert max_trace_bytes(packed_bytes) == limit_bytes


def test_a_file_that_unpacks_to_far_more_than_any_trace_is_refused(tmp_path: Path) -> None:
    path = pack(pieces(*BOMBS["one string in an event"], size_mb=130), tmp_path / "bomb.json.gz")

    with pytest.raises(TraceTooLarge, match="134,217,728 bytes"):
        read_trace(path)


def test_the_sentence_says_how_to_read_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, classic(a_step()), packed=True)

    monkeypatch.setenv(MAX_BYTES_VARIABLE, "1000")
    with pytest.raises(TraceTooLarge, match=rf"1,000 bytes: .* set {MAX_BYTES_VARIABLE} to more\.$"):
        read_trace(path)

    monkeypatch.setenv(MAX_BYTES_VARIABLE, "100000")
    assert len(read_trace(path).slices) == 8


@pytest.mark.parametrize("chosen", ["4 GB", "0", "-1"])
def test_what_is_no_limit(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv(MAX_BYTES_VARIABLE, chosen)

    with pytest.raises(UsageError, match=f"{MAX_BYTES_VARIABLE} is '{chosen}'"):
        max_trace_bytes(1)
