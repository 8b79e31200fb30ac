"""The limit of what a file may unpack to is stated, and the user's to change."""

from __future__ import annotations

from pathlib import Path

import pytest
from trace_samples import a_step, classic, write

from tbprof.errors import TraceTooLarge, UsageError
from tbprof.trace.limits import DEFAULT_MAX_BYTES, MAX_BYTES_VARIABLE, max_trace_bytes
from tbprof.trace.reader import read_trace


def test_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MAX_BYTES_VARIABLE, raising=False)

    assert max_trace_bytes() == DEFAULT_MAX_BYTES == 16 * 1024**3


def test_the_sentence_says_how_to_read_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, classic(a_step()), packed=True)

    monkeypatch.setenv(MAX_BYTES_VARIABLE, "1000")
    with pytest.raises(
        TraceTooLarge, match=rf"1,000 bytes: .* set {MAX_BYTES_VARIABLE} to more\.$"
    ):
        read_trace(path)

    monkeypatch.setenv(MAX_BYTES_VARIABLE, "100000")
    assert len(read_trace(path).slices) == 8


@pytest.mark.parametrize("chosen", ["4 GB", "0", "-1"])
def test_what_is_no_limit(monkeypatch: pytest.MonkeyPatch, chosen: str) -> None:
    monkeypatch.setenv(MAX_BYTES_VARIABLE, chosen)

    with pytest.raises(UsageError, match=f"{MAX_BYTES_VARIABLE} is '{chosen}'"):
        max_trace_bytes()
