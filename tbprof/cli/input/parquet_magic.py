"""Which files are tables of a job's operations, without the packages that read them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_parquet"]

_MAGIC = b"PAR1"


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does; a folder, a pipe or what can't be opened does not."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False
