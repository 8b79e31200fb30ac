"""An allocation that failed, as text and JSON."""

from __future__ import annotations

import dataclasses

from tbprof.escaping import json_text, plain
from tbprof.model import OutOfMemory
from tbprof.texts.figures.quantities import count, size
from tbprof.texts.memory.out_of_memory import (
    asked_sentence,
    changes,
    device_name,
    there_sentence,
    unaccounted_bytes,
)

_MOST_FRAMES = 8


def out_of_memory_json(found: OutOfMemory) -> str:
    """All that is known, as one object."""
    return json_text({"schema": found.schema, "out_of_memory": dataclasses.asdict(found)})


def out_of_memory_text(found: OutOfMemory) -> str:
    """What was asked for, what was there, what held it, and what would free how much."""
    parts = (
        [
            asked_sentence(found),
            there_sentence(found),
            f"The error: {found.message}" if found.message else "",
        ],
        ["Raised at:", *(f"  {frame}" for frame in found.frames[:_MOST_FRAMES])],
        _held(found),
        _largest(found),
        ["What would free memory:", *(f"  - {change}" for change in changes(found))],
    )
    return "\n".join("".join(f"{plain(line)}\n" for line in part if line) for part in parts)


def _held(found: OutOfMemory) -> list[str]:
    held = found.held
    rows = [
        (held.parameters_bytes, "parameters"),
        (held.gradients_bytes, "gradients"),
        (held.optimizer_bytes, "optimizer state"),
        (held.saved_bytes, "saved for the backward pass"),
        (held.other_bytes, "other tensors of the program"),
    ]
    unaccounted = unaccounted_bytes(found)
    if unaccounted is not None:
        rows.append((unaccounted, "the rest, which Python does not know: activations, among others"))
    lines = [f"{size(held_bytes):>12}  {name}" for held_bytes, name in rows]
    known = "" if held.is_whole else ", of the tensors that there was time to look at"
    return [f"What held memory of {device_name(found)}{known}:", *lines]


def _largest(found: OutOfMemory) -> list[str]:
    rows = [
        f"{size(each):>12}  {count(number, 'tensor')} of {name}" for name, number, each in found.held.largest
    ]
    return ["The largest of what is saved, and of the other tensors:", *rows] if rows else []
