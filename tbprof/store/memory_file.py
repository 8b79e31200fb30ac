"""A file of JSON that the hook leaves beside windows, as any of these is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from tbprof.errors import UsageError
from tbprof.model import MEMORY_KINDS, MemoryStep
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


def _parsed(said: Any) -> MemoryStep:
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


MEMORY_STEP_FILE = HookFile("what held memory", _parsed)
