"""The file that the hook leaves where memory ran out."""

from __future__ import annotations

from typing import Any

from tbprof.model import HeldTensors, OutOfMemory
from tbprof.store.memory_file import SCHEMA, HookFile


def _parsed(said: Any) -> OutOfMemory:
    held = said["held"]
    return OutOfMemory(
        schema=SCHEMA,
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
        is_address_limit=bool(said.get("is_address_limit")),
        held=HeldTensors(
            parameters_bytes=int(held["parameters_bytes"]),
            gradients_bytes=int(held["gradients_bytes"]),
            optimizer_bytes=int(held["optimizer_bytes"]),
            saved_bytes=int(held.get("saved_bytes", 0)),
            other_bytes=int(held["other_bytes"]),
            largest=tuple((str(name), int(count), int(size)) for name, count, size in held["largest"]),
            is_whole=bool(held["is_whole"]),
        ),
    )


def _size(said: Any) -> int | None:
    return None if said is None else int(said)


OUT_OF_MEMORY_FILE = HookFile("of an allocation that failed", _parsed)
