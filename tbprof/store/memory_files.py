"""The files of a run that tell of memory and are no windows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from tbprof.file_names import MEMORY_STEP_SUFFIX, OUT_OF_MEMORY_SUFFIX
from tbprof.records import dataclass

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
