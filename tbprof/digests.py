"""SHA-256 of names and of the ends of files, without OpenSSL.

`hashlib` loads OpenSSL, which takes 4 ms and 4 MB. `random` of the standard library does as is done here.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

_MODULES = ("_sha2", "_sha256", "hashlib")
"""Python's own, since 3.12 and before, and what every Python has."""


def sha256_hex(data: bytes) -> str:
    """64 digits. Large files are for `hashlib`, which is several times as fast."""
    digits: str = _sha256()(data).hexdigest()
    return digits


@cache
def _sha256() -> Any:
    for name in _MODULES:
        with suppress(ImportError):
            return import_module(name).sha256
    raise AssertionError("hashlib is always there")
