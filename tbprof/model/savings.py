"""What can be won."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "Saving",
    "Savings",
]


@dataclass(frozen=True, slots=True)
class Saving:
    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int


@dataclass(frozen=True, slots=True)
class Savings:
    """What the whole window could win."""

    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int
    calibrated: bool
    replay_error: float | None
