"""The file that the hook leaves where memory ran out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tbprof.errors import UsageError
from tbprof.model import HeldTensors, OutOfMemory

__all__ = ["out_of_memory_in", "read_out_of_memory"]

_SCHEMA = 1


def read_out_of_memory(path: Path) -> OutOfMemory:
    """What it says.

    Raises:
        UsageError: It can't be read, or is not such a file of this version.
    """
    try:
        return out_of_memory_in(path.read_bytes(), str(path))
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from error


def out_of_memory_in(content: bytes, name: str) -> OutOfMemory:
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
        raise UsageError(f"{name} does not tell of an allocation that failed: it is damaged") from error


def _parsed(said: Any) -> OutOfMemory:
    held = said["held"]
    return OutOfMemory(
        schema=_SCHEMA,
        worker=str(said["worker"]),
        step=int(said["step"]),
        device=str(said["device"]),
        message=str(said["message"]),
        frames=tuple(map(str, said["frames"])),
        asked_bytes=_size(said["asked_bytes"]),
        total_bytes=_size(said["total_bytes"]),
        free_bytes=_size(said["free_bytes"]),
        allocated_bytes=_size(said["allocated_bytes"]),
        reserved_bytes=_size(said["reserved_bytes"]),
        held=HeldTensors(
            parameters_bytes=int(held["parameters_bytes"]),
            gradients_bytes=int(held["gradients_bytes"]),
            optimizer_bytes=int(held["optimizer_bytes"]),
            other_bytes=int(held["other_bytes"]),
            largest=tuple((str(name), int(count), int(size)) for name, count, size in held["largest"]),
            is_whole=bool(held["is_whole"]),
        ),
    )


def _size(said: Any) -> int | None:
    return None if said is None else int(said)
