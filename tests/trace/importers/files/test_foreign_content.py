"""A file that holds something else is said to be that, with what to do."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import pytest
from trace_samples import a_step, dumped, write

from tbprof.errors import NotATrace
from tbprof.trace.reading import read_trace

TRACE = dumped(a_step())


def zipped(content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.json", content)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x28\xb5\x2f\xfd\x24\x00\x01", "packed with Zstandard: unpack it with zstd -d"),
        (lzma.compress(TRACE), "packed with xz: unpack"),
        (bz2.compress(TRACE), "packed with bzip2: unpack"),
        (zipped(TRACE), "a zip archive: unpack it first"),
        (gzip.compress(gzip.compress(TRACE)), "packed twice: unpack"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n", "git lfs pull"),
        (gzip.compress(b"version https://git-lfs.github.com/spec/v1\n"), "git lfs pull"),
        (TRACE.decode().encode("utf-16"), "UTF-16"),
        (b"\n<!DOCTYPE html><title>404</title>", "a page of HTML"),
        (b"{}", 'has no "traceEvents"'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_a_file_is_instead_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(NotATrace) as raised:
        read_trace(write(tmp_path, content, "w.pt.trace.json.gz"))
    assert said in str(raised.value)
    assert "w.pt.trace.json.gz" in str(raised.value)
