"""Which files are no traces: tables of a job's operations, snapshots, and what is left where memory ran out.

The packages that read them are not needed for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from tbprof.file_names import MEMORY_STEP_SUFFIX, OUT_OF_MEMORY_SUFFIX
from tbprof.safe_open import open_regular

OtherKind: TypeAlias = Literal["operations", "out_of_memory", "memory_step", "snapshot"]

_PARQUET = b"PAR1"
_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
"""A pickle says its protocol first, since the second one."""
_PICKLE_SUFFIXES = (".pickle", ".pkl")


def other_file(paths: Sequence[Path]) -> tuple[OtherKind, Path] | None:
    """One of these that is no trace, with what it is instead; None where all may be traces."""
    found = ((kind, path) for kind, is_such in _KINDS for path in paths if is_such(path))
    return next(found, None)


def _is_memory_step(path: Path) -> bool:
    """By its name."""
    return path.name.endswith(MEMORY_STEP_SUFFIX)


def _is_out_of_memory(path: Path) -> bool:
    """By its name."""
    return path.name.endswith(OUT_OF_MEMORY_SUFFIX)


def _is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does; a folder, a pipe or what can't be opened does not."""
    return _first_bytes(path, len(_PARQUET)) == _PARQUET


def _is_pickle(path: Path) -> bool:
    """Whether a file begins as a pickle does, or is called one: the oldest two protocols say nothing."""
    return _first_bytes(path, 2) in _PICKLES or (path.suffix in _PICKLE_SUFFIXES and path.is_file())


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read(count)
    except OSError:
        return b""


_KINDS: tuple[tuple[OtherKind, Callable[[Path], bool]], ...] = (
    ("operations", _is_parquet),
    ("out_of_memory", _is_out_of_memory),
    ("memory_step", _is_memory_step),
    ("snapshot", _is_pickle),
)
