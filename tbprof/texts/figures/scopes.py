"""What a figure of a mean step is a figure of: of the whole window where no steps are marked."""

from __future__ import annotations

from tbprof.records import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    each: str
    """After a count: `12 copies a step`."""
    name: str
    """After a preposition: `3 % of a step`."""


_STEP = Scope(each="a step", name="a step")
_WINDOW = Scope(each="in the window", name="the window")


def scope_of(*, marks_steps: bool) -> Scope:
    return _STEP if marks_steps else _WINDOW
