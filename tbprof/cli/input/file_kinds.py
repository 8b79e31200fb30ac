"""Which files are no traces: tables of a job's operations, snapshots, and what is left where memory ran out.

The packages that read them are not needed for that.
"""

from __future__ import annotations

from pathlib import Path

from tbprof.file_names import MEMORY_STEP_SUFFIX, OUT_OF_MEMORY_SUFFIX

__all__ = ["is_memory_step", "is_out_of_memory", "is_parquet", "is_pickle"]

_PARQUET = b"PAR1"
_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
"""A pickle says its protocol first, since the second one."""
_PICKLE_SUFFIXES = (".pickle", ".pkl")


def is_memory_step(path: Path) -> bool:
    """By its name."""
    return path.name.endswith(MEMORY_STEP_SUFFIX)


def is_out_of_memory(path: Path) -> bool:
    """By its name."""
    return path.name.endswith(OUT_OF_MEMORY_SUFFIX)


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does; a folder, a pipe or what can't be opened does not."""
    return _first_bytes(path, len(_PARQUET)) == _PARQUET


def is_pickle(path: Path) -> bool:
    """Whether a file begins as a pickle does, or is called one: the oldest two protocols say nothing."""
    return _first_bytes(path, 2) in _PICKLES or (path.suffix in _PICKLE_SUFFIXES and path.is_file())


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""
