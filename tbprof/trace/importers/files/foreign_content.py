"""What a file is that holds no trace, told by its first bytes."""

from __future__ import annotations

HEAD_BYTES = 512
"""As many are looked at."""

_TAR, _TAR_AT = b"ustar", 257

_BEGINNINGS = (
    (b"\x28\xb5\x2f\xfd", "is packed with Zstandard: unpack it with zstd -d"),
    (b"\xfd7zXZ\0", "is packed with xz: unpack it with xz -d"),
    (b"BZh", "is packed with bzip2: unpack it with bzip2 -d"),
    (b"\x04\x22\x4d\x18", "is packed with LZ4: unpack it with lz4 -d"),
    (b"PK\x03\x04", "is a zip archive: unpack it first"),
    # Of what was unpacked already.
    (b"\x1f\x8b", "is packed twice: unpack it with gzip -d"),
    (b"version https://git-lfs", "is a pointer of Git LFS: fetch the file itself with git lfs pull"),
    (b"\xff\xfe", "is UTF-16 text, as a redirection in PowerShell writes: save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16 text: save it as UTF-8"),
    (b"<", "is a page of HTML or XML: download the file itself"),
)


def foreign_content(head: bytes) -> str | None:
    """What a file of this beginning is, and what to do with it; None where that is not known."""
    if head[_TAR_AT:].startswith(_TAR):
        return "is a tar archive: unpack it with tar -xf"
    return next((words for beginning, words in _BEGINNINGS if head.startswith(beginning)), None)
