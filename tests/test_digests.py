"""Names of files and findings are the SHA-256 that every tool knows."""

from __future__ import annotations

import hashlib
import sys

import pytest

from tbprof import digests


@pytest.mark.parametrize("data", [b"", b"abc", bytes(range(256)) * 500])
def test_the_digits_are_those_of_sha_256(data: bytes) -> None:
    assert digests.sha256_hex(data) == hashlib.sha256(data).hexdigest()


def test_a_python_without_a_lean_one_takes_that_of_openssl(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_sha2", "_sha256"):
        monkeypatch.setitem(sys.modules, name, None)
    digests._sha256.cache_clear()
    try:
        assert digests.sha256_hex(b"abc") == hashlib.sha256(b"abc").hexdigest()
    finally:
        digests._sha256.cache_clear()
