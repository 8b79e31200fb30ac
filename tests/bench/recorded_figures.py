"""What a trace recorded, from its JSON alone: nothing of tbprof is used here.

A step is what torch-tb-profiler takes for one: from the end of the device's work of the step
before to the end of its own, or of its range on the host, whichever is later.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Event = dict[str, Any]
Span = tuple[float, float]

DEVICE = {"kernel", "Kernel", "gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
OPS = {"cpu_op", "Operator", "user_annotation"}
UNLISTED = re.compile(
    r"ProfilerStep#|Optimizer\.|(?:DataParallel|DistributedDataParallel)\.forward$|enumerate\(Data"
)
HOST_COLLECTIVE = re.compile(r"(?:nccl|gloo):(?:broadcast|reduce|all_reduce|all_gather|reduce_scatter)$")
SOURCE_FRAME = re.compile(r"(?!<built-in ).+\(\d+\): .")


@dataclass(frozen=True, slots=True)
class Figures:
    """Times in us, summed over all steps; None: the plugin could not show the trace at all."""

    device: float
    data_loader: float
    communication: float
    """Not hidden by other work of the device."""
    steps: int
    mean_step: float
    ops_with_stack: int
    """Names, not calls."""


def recorded_figures(path: Path) -> Figures:
    rows = _rows(path)
    device = [row for row in rows if row["cat"] in DEVICE]
    calls = [row for row in rows if row["cat"] == "Runtime" or row["cat"].endswith(("_runtime", "_driver"))]
    host = [row for row in rows if row["cat"] in OPS]
    marked = sorted(_span(row) for row in host if row["name"].startswith("ProfilerStep#"))
    steps = _steps(marked, calls, device) or [_whole([*(host or calls), *device])]
    # Without a kernel of a collective in the file, its range on the host is all that was recorded.
    collectives = [row for row in device if "nccl" in row["name"].lower()]
    collectives = collectives or [row for row in host if HOST_COLLECTIVE.match(row["name"])]
    rest = [row for row in device if "nccl" not in row["name"].lower()]
    loader = [row for row in host if row["name"].startswith("enumerate(DataLoader)#")]
    exposed_loader = _without(_union(loader), _union([*device, *calls]))
    return Figures(
        device=sum(row["dur"] for row in device),
        data_loader=_inside(exposed_loader, steps),
        communication=_inside(_without(_union(collectives), _union(rest)), steps),
        steps=len(marked),
        mean_step=sum(end - start for start, end in steps) / len(steps),
        ops_with_stack=len(_names_with_stack(rows, host)),
    )


def _rows(path: Path) -> list[Event]:
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    loaded = json.loads(content.decode("utf-8", "replace"), strict=False)
    return [event for event in loaded["traceEvents"] if event.get("ph") == "X"]


def _span(row: Event) -> Span:
    return row["ts"], row["ts"] + row["dur"]


def _whole(rows: list[Event]) -> Span:
    return min(row["ts"] for row in rows), max(row["ts"] + row["dur"] for row in rows)


def _steps(marked: list[Span], calls: list[Event], device: list[Event]) -> list[Span]:
    launched: dict[Any, list[Event]] = defaultdict(list)
    for row in device:
        launched[row["args"].get("correlation")].append(row)
    of_step: list[list[Event]] = [[] for _ in marked]
    for call in calls:
        start, end = _span(call)
        for index, step in enumerate(marked):
            if step[0] <= start and end <= step[1]:
                of_step[index] += launched.get(call.get("args", {}).get("correlation"), [])
    steps: list[Span] = []
    before = _end_before(of_step, device)
    for step, rows in zip(marked, of_step, strict=True):
        start = max(step[0], before)
        before = max(start, step[1], *(row["ts"] + row["dur"] for row in rows), start)
        steps.append((start, before))
    return steps


def _end_before(of_step: list[list[Event]], device: list[Event]) -> float:
    """The end of the device's work of the step before the first, where it is in the trace."""
    if not of_step or not of_step[0]:
        return float("-inf")
    inside = {id(row) for rows in of_step for row in rows}
    first = min(row["ts"] for row in of_step[0])
    ends = [row["ts"] + row["dur"] for row in device if id(row) not in inside]
    return max((end for end in ends if end < first), default=float("-inf"))


def _names_with_stack(rows: list[Event], host: list[Event]) -> set[str]:
    listed = [row for row in host if not UNLISTED.match(row["name"])]
    found = {row["name"] for row in listed if row.get("args", {}).get("Call stack")}
    frames: dict[tuple[Any, Any], list[Event]] = defaultdict(list)
    for row in rows:
        if row["cat"] == "python_function" and SOURCE_FRAME.match(row["name"]):
            frames[row["pid"], row["tid"]].append(row)
    for place, inner in frames.items():
        outer = _union(inner)
        ops = (row for row in listed if (row["pid"], row["tid"]) == place)
        found |= {op["name"] for op in ops if any(a <= op["ts"] and _span(op)[1] <= b for a, b in outer)}
    return found


def _union(rows: Iterable[Event]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(map(_span, rows)):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


def _without(spans: list[Span], taken: list[Span]) -> list[Span]:
    left = []
    for start, end in spans:
        for other_start, other_end in taken:
            if other_end <= start or other_start >= end:
                continue
            if other_start > start:
                left.append((start, other_start))
            start = other_end
        if start < end:
            left.append((start, end))
    return left


def _inside(spans: list[Span], steps: list[Span]) -> float:
    return sum(max(0.0, min(b, d) - max(a, c)) for a, b in spans for c, d in steps)
