"""Windows after steps that took much longer than the others."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from tbprof.errors import UsageError
from tbprof.hook.config.arguments import check_whole_number, option

NO_STEP_NS = sys.maxsize
"""Longer than any step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowSteps:
    """Begin a window after a step that took `factor` times the median of the latest steps.

    The slow step itself is over by then: the window shows what comes after it, and what slows a
    training down often stays or comes again.

    Raises:
        UsageError: a number means nothing.
    """

    factor: float = field(
        default=3.0, metadata=option("begin a window after a step of so many times the median")
    )
    cool_down: int = field(default=200, metadata=option("steps after such a window in which none begins"))
    at_most: int = field(default=3, metadata=option("such windows in a run"))

    def __post_init__(self) -> None:
        is_number = isinstance(self.factor, (int, float)) and not isinstance(self.factor, bool)
        if not is_number or not 1 < self.factor < float("inf"):
            raise UsageError(f"SlowSteps: factor is {self.factor!r}; give a number above 1, such as 3.")
        check_whole_number("SlowSteps", "cool_down", self.cool_down)
        check_whole_number("SlowSteps", "at_most", self.at_most, least=1)

    def __str__(self) -> str:
        return (
            f"after a step of {self.factor:g} x the median, {self.at_most} times at most"
            f" and {self.cool_down} steps apart"
        )
