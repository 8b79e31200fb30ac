"""The file that the hook leaves of a step in which it followed all storages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.model import MEMORY_KINDS, MemoryStep

__all__ = ["memory_step_in", "read_memory_step"]

_SCHEMA = 1


def read_memory_step(path: Path) -> MemoryStep:
    """What it says.

    Raises:
        UsageError: It can't be read, or is not such a file of this version.
    """
    try:
        return memory_step_in(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from error


def memory_step_in(content: bytes, name: str) -> MemoryStep:
    """What the content of such a file says; `name` is how an error calls it.

    Raises:
        UsageError: It is no such file of this version.
    """
    try:
        said = json.loads(content)
        if said["schema"] != _SCHEMA:
            raise UsageError(f"{name} was written by another version of tbprof: read it with that one")
        return _parsed(said)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
        raise UsageError(f"{name} does not tell what held memory: it is damaged") from error


def _parsed(said: Any) -> MemoryStep:
    kinds, cached = dict(_sizes(said["kinds"])), said["cached_bytes"]
    return MemoryStep(
        schema=_SCHEMA,
        worker=str(said["worker"]),
        step=int(said["step"]),
        device=str(said["device"]),
        peak_bytes=int(said["peak_bytes"]),
        peak_us=float(said["peak_us"]),
        phase=str(said["phase"]),
        kinds=tuple((kind, kinds[kind]) for kind in MEMORY_KINDS),
        modules=_sizes(said["modules"]),
        lines=_sizes(said["lines"]),
        curve=tuple(_point(point) for point in said["curve"]),
        cached_bytes=None if cached is None else int(cached),
        is_whole=bool(said["is_whole"]),
    )


def _sizes(said: Any) -> tuple[tuple[str, int], ...]:
    return tuple((str(name), int(size)) for name, size in said)


def _point(said: Any) -> tuple[float, ...]:
    if len(said) != 1 + len(MEMORY_KINDS):
        raise ValueError
    return (float(said[0]), *map(int, said[1:]))
