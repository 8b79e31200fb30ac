"""What can be won."""

from __future__ import annotations

from tbprof.records import dataclass

MAX_REPLAY_ERROR = 0.05
"""A replay further off its own window than this gives no estimate."""


@dataclass(frozen=True, slots=True)
class Saving:
    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int

    def at_most(self, most_ns: int) -> Saving:
        """The same, none of the three above this."""
        if self.ceiling_ns <= most_ns:
            return self
        estimate_ns = None if self.estimate_ns is None else min(self.estimate_ns, most_ns)
        return Saving(min(self.floor_ns, most_ns), estimate_ns, most_ns)


@dataclass(frozen=True, slots=True)
class Savings:
    """What the whole window could win."""

    floor_ns: int
    estimate_ns: int | None
    ceiling_ns: int
    calibrated: bool
    replay_error: float | None
