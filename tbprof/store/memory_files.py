"""The files of a run that tell of memory and are no windows: JSON that the hook leaves, and snapshots."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from tbprof.errors import UsageError
from tbprof.file_names import MEMORY_STEP_SUFFIX, OUT_OF_MEMORY_SUFFIX
from tbprof.model import MEMORY_KINDS, HeldTensors, MemoryStep, OutOfMemory
from tbprof.records import dataclass
from tbprof.safe_open import content_within

T = TypeVar("T")

_MOST_BYTES = 64 * 1024 * 1024

SCHEMA = 1
"""The schema of all these files; another version may have changed any."""


class HookFile(Generic[T]):
    """One kind of these files, which are small."""

    def __init__(self, tells: str, parse: Callable[[Any], T]) -> None:
        """Name the kind and how it is read.

        Args:
            tells: Completes "it does not tell".
            parse: Makes the record of the JSON, and raises whatever it does where that is damaged.
        """
        self._tells = tells
        self._parse = parse

    def read(self, path: Path) -> T:
        """What it says.

        Raises:
            UsageError: It can't be read, or is not such a file of this version.
        """
        try:
            content = content_within(path, _MOST_BYTES)
        except OSError as error:
            raise UsageError(f"{path} can't be read: {error.strerror}") from error
        return self.parsed(content, str(path))

    def parsed(self, content: bytes, name: str) -> T:
        """What the content of such a file says; `name` is how an error calls it.

        Raises:
            UsageError: It is no such file of this version.
        """
        try:
            said = json.loads(content)
            if said["schema"] != SCHEMA:
                raise UsageError(f"{name} was written by another version of tbprof: read it with that one")
            return self._parse(said)
        except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError) as error:
            raise UsageError(f"{name} does not tell {self._tells}: it is damaged") from error


def _memory_step(said: Any) -> MemoryStep:
    kinds, cached = dict(_sizes(said["kinds"])), said["cached_bytes"]
    # Earlier versions had neither.
    cached_curve, at_peak = said.get("cached_curve"), said.get("cached_at_peak_bytes")
    if cached_curve is not None and len(cached_curve) != len(said["curve"]):
        raise ValueError
    return MemoryStep(
        schema=SCHEMA,
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
        cached_curve=None if cached_curve is None else tuple(map(int, cached_curve)),
        cached_at_peak_bytes=None if at_peak is None else int(at_peak),
    )


def _sizes(said: Any) -> tuple[tuple[str, int], ...]:
    return tuple((str(name), int(size)) for name, size in said)


def _point(said: Any) -> tuple[float, ...]:
    if len(said) != 1 + len(MEMORY_KINDS):
        raise ValueError
    return (float(said[0]), *map(int, said[1:]))


MEMORY_STEP_FILE = HookFile("what held memory", _memory_step)


def _out_of_memory(said: Any) -> OutOfMemory:
    held = said["held"]
    return OutOfMemory(
        schema=SCHEMA,
        worker=str(said["worker"]),
        step=int(said["step"]),
        device=str(said["device"]),
        message=str(said["message"]),
        frames=tuple(map(str, said["frames"])),
        asked_bytes=_optional_size(said["asked_bytes"]),
        total_bytes=_optional_size(said["total_bytes"]),
        free_bytes=_optional_size(said["free_bytes"]),
        allocated_bytes=_optional_size(said["allocated_bytes"]),
        reserved_bytes=_optional_size(said["reserved_bytes"]),
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


def _optional_size(said: Any) -> int | None:
    return None if said is None else int(said)


OUT_OF_MEMORY_FILE = HookFile("of an allocation that failed", _out_of_memory)


MemoryFileKind: TypeAlias = Literal["out_of_memory", "memory_step", "snapshot"]

_SUFFIXES: tuple[tuple[str, MemoryFileKind], ...] = (
    (OUT_OF_MEMORY_SUFFIX, "out_of_memory"),
    (MEMORY_STEP_SUFFIX, "memory_step"),
    (".pickle", "snapshot"),
)
_MOST_FILES = 50


@dataclass(frozen=True, slots=True)
class MemoryFile:
    name: str
    kind: MemoryFileKind
    path: Path
    size_bytes: int
    changed_ns: int


def kind_of_memory_file(name: str) -> MemoryFileKind | None:
    """The kind that its name says; None of any other file."""
    return next((kind for suffix, kind in _SUFFIXES if name.endswith(suffix)), None)


def memory_files_in(folders: Iterable[Path]) -> list[MemoryFile]:
    """The memory files of failed allocations first, then the newest; at most fifty. None is opened."""
    found = [file for folder in sorted(set(folders)) for file in _files_in(folder)]
    found.sort(key=lambda file: (file.kind != "out_of_memory", -file.changed_ns, file.name))
    return found[:_MOST_FILES]


def _files_in(folder: Path) -> list[MemoryFile]:
    try:
        with os.scandir(folder) as entries:
            return [file for entry in entries if (file := _file(entry)) is not None]
    except OSError:
        return []


def _file(entry: os.DirEntry[str]) -> MemoryFile | None:
    kind = None if entry.name.startswith(".") else kind_of_memory_file(entry.name)
    try:
        if kind is None or not entry.is_file():
            return None
        state = entry.stat()
    except OSError:
        return None
    return MemoryFile(entry.name, kind, Path(entry.path), state.st_size, state.st_mtime_ns)
