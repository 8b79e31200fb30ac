"""Sentences about a snapshot of torch's allocator."""

from __future__ import annotations

from tbprof.texts.figures.quantities import size


def failed_sentence(*, asked_bytes: int, free_bytes: int, place: str | None) -> str:
    """What was asked for and where, and what the device had."""
    where = "" if place is None else f" at {place}"
    return f"out of memory: {size(asked_bytes)} asked for{where}, {size(free_bytes)} free on the device."
