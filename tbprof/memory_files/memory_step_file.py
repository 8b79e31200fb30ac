"""The file that the hook leaves of a step in which it followed all storages."""

from __future__ import annotations

from typing import Any

from tbprof.memory_files.hook_file import SCHEMA, HookFile
from tbprof.model import MEMORY_KINDS, MemoryStep


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
