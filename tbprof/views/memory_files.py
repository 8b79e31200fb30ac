"""What the page of memory shows of files that lie beside the windows of a run. Sizes are bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryFileRow:
    name: str
    """The name of the file, by which it is asked for."""
    title: str
    """What it tells of."""
    is_failure: bool
    """Memory ran out."""


@dataclass(frozen=True, slots=True)
class MemoryFilesView:
    files: tuple[MemoryFileRow, ...]


@dataclass(frozen=True, slots=True)
class MemoryPartRow:
    """What held memory."""

    name: str
    """The name as it is: a kind, a module, or a place in the code."""
    number: int | None
    """How many blocks or tensors; None where that is not known."""
    bytes: int
    share: float | None
    """The share of all that is held; None where a row is part of another."""


@dataclass(frozen=True, slots=True)
class MemoryPart:
    title: str
    sentences: tuple[str, ...]
    points: tuple[str, ...]
    """A list of what can be done, or of where it happened."""
    counted: str
    """What the rows' numbers count, such as "Blocks"; "" where there are none."""
    rows: tuple[MemoryPartRow, ...]


@dataclass(frozen=True, slots=True)
class MemoryStack:
    """What tensors held over a step, kind upon kind."""

    kinds: tuple[str, ...]
    at_us: tuple[float, ...]
    """Since the step began; what is held then holds until the next one."""
    held_bytes: tuple[tuple[int, ...], ...]
    """The bytes of each kind, at each of these instants."""


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """One of the files."""

    headline: str
    stack: MemoryStack | None
    parts: tuple[MemoryPart, ...]
