"""What held memory in a step, as text and JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from tbprof.escaping import json_text, plain
from tbprof.model import MemoryStep
from tbprof.texts.figures.quantities import count, size
from tbprof.texts.memory.followed_steps import NO_LINE

_MOST_ROWS = 12


def memory_step_json(found: MemoryStep) -> str:
    """All that is known, as one object."""
    return json_text({"schema": found.schema, "memory_step": dataclasses.asdict(found)})


def memory_step_text(found: MemoryStep) -> str:
    """The peak, and what held it by kind, module and line."""
    device = "the CPU" if found.device == "CPU" else found.device
    lines = [
        f"Memory of {device}, followed in one step of {found.worker}, after {count(found.step, 'step')}:"
        f" {size(found.peak_bytes)} of tensors at the peak, in the {found.phase}."
    ]
    lines += ["", "by kind", *_rows(found.kinds, found.peak_bytes)]
    lines += ["", "by module", *_rows(_named(found.modules, "no module"), found.peak_bytes)]
    lines += ["", "by line that allocated", *_rows(_named(found.lines, NO_LINE), found.peak_bytes)]
    if found.cached_at_peak_bytes is not None:
        lines += ["", f"{size(found.cached_at_peak_bytes)} lay unused in torch's cache at the peak."]
    if found.cached_bytes is not None:
        lines += ["", f"{size(found.cached_bytes)} lay unused in torch's cache at the end of the step."]
    if not found.is_whole:
        lines += ["", "Not all of the step could be followed: there was too much of it, or no time."]
    lines += [
        "",
        "Not counted: what libraries allocate inside of one operator, and the rounding of the allocator.",
    ]
    return "".join(f"{plain(line)}\n" for line in lines)


def _named(rows: Iterable[tuple[str, int]], nothing: str) -> Iterator[tuple[str, int]]:
    return ((name or nothing, held) for name, held in rows)


def _rows(rows: Iterable[tuple[str, int]], whole: int) -> Iterator[str]:
    known = sorted((row for row in rows if row[1]), key=lambda row: -row[1])
    for name, held in known[:_MOST_ROWS]:
        yield f"{size(held):>12}  {held / max(whole, 1):>4.0%}  {name}"
    left = sum(held for _, held in known[_MOST_ROWS:])
    if left:
        yield f"{size(left):>12}  {left / max(whole, 1):>4.0%}  others"
