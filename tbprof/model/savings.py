"""What can be won."""

from __future__ import annotations

from tbprof.records import dataclass

__all__ = [
    "MAX_REPLAY_ERROR",
    "Saving",
    "Savings",
]

MAX_REPLAY_ERROR = 0.05
"""A replay further off its own window than this gives no estimate."""


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
