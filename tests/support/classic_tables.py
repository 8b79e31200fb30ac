"""The tables of two trainings that torch-tb-profiler's own end-to-end test expects."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

NAMES = ("kineto_resnet50_nw0", "kineto_resnet50_nw4")

_FILE = Path(__file__).parents[1] / "data" / "classic_tables.json"


@dataclass(frozen=True, slots=True)
class KernelFigures:
    figures: tuple[Any, ...]
    """Calls, their time, the longest and the shortest one in us, and whether tensor cores are used."""
    means: tuple[float, float]
    """Blocks per SM and occupancy in percent, to two digits after the point."""


def trace_of(traces: Path, name: str) -> Path:
    """That of the first span, which the test looks at."""
    return min((traces / name).glob("*.gz"))


def operators(name: str) -> dict[str, tuple[Any, ...]]:
    """By name: calls, the device's self and total time and the host's in us, and tensor cores.

    Of these whether they could be used, and for which part of the device's time they were.
    """
    return {row[0]: (*row[1:7], row[8]) for row in _tables()[name]["operators"]}


def kernels(name: str) -> dict[str, KernelFigures]:
    """By name."""
    return {
        kernel: KernelFigures((calls, total, longest, shortest, used == "Yes"), (blocks, occupancy))
        for kernel, used, calls, total, _, longest, shortest, blocks, occupancy in _tables()[name]["kernels"]
    }


@cache
def _tables() -> Any:
    return json.loads(_FILE.read_text(encoding="utf-8"))
