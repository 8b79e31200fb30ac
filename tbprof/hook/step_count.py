"""The count of steps that a training gives to `step()`, made into one that only goes up."""

from __future__ import annotations

import enum
import logging
import operator

import torch

from tbprof.hook.timetable import NEVER

logger = logging.getLogger("tbprof")

MOST_CALLS_OF_A_STEP = 1000
"""With the same count: gradients accumulate over fewer; a count of epochs stands still for more."""

FIRST_COUNTS = (0, 1)
"""What a count begins with that starts again in each epoch."""


class CountChange(enum.Enum):
    """What a call of `step()` says by its count."""

    NEXT = enum.auto()
    """A step is over."""
    SAME = enum.auto()
    """The step goes on, as while gradients accumulate."""
    BACK = enum.auto()
    """A step is over, and the next one does not follow from it: the training went back to a checkpoint."""
    STUCK = enum.auto()
    """The step has gone on for so many calls that the count counts something else."""


class StepCount:
    """Knows what was given last, and what must be added to it since it went back."""

    __slots__ = ("_calls", "_has_gone_back", "_has_said_no_count", "_repeated", "ahead", "latest")

    def __init__(self) -> None:
        self.latest = 0
        self.ahead = 0
        """How many steps are over beyond those that the training counts."""
        self._repeated, self._calls = 0, 0
        self._has_gone_back = False
        self._has_said_no_count = False

    def read(self, given: object, steps_taken: int) -> CountChange:
        """What a count says where `steps_taken` steps are over by our own count."""
        count = _whole_number(given)
        if count is None:
            self._say_no_count(given)
            return CountChange.NEXT
        if count == self.latest:
            return self._same()
        is_on = steps_taken < count + self.ahead < NEVER
        earlier, self.latest = self.latest, count
        if is_on:
            return CountChange.NEXT
        self.ahead = steps_taken + 1 - count
        return self._gone_back(earlier)

    def begin_at(self, given: int, steps_taken: int) -> None:
        """Count on from here where a training begins that has taken so many steps by its own count."""
        self.latest, self.ahead = given, max(0, steps_taken - given)

    def say_stuck(self) -> None:
        """Log it that a window ends in which the count stood still."""
        logger.warning(
            "The count given to step() has been %d for %d calls: the window that was being recorded ends"
            " here; give the number of training steps, or nothing.",
            self.latest,
            self._calls,
        )

    def _same(self) -> CountChange:
        if self._repeated != self.latest:
            self._repeated, self._calls = self.latest, 1
        self._calls += 1
        return CountChange.STUCK if self._calls == MOST_CALLS_OF_A_STEP else CountChange.SAME

    def _gone_back(self, earlier: int) -> CountChange:
        is_first, self._has_gone_back = not self._has_gone_back, True
        if is_first:
            logger.warning(
                "The count given to step() went from %d to %d: a window that was being recorded ends here,"
                " and steps are counted on from %d.",
                earlier,
                self.latest,
                earlier,
            )
        # From the second epoch on nothing is new about a count that starts again.
        is_new_epoch = self.latest in FIRST_COUNTS and not is_first
        return CountChange.NEXT if is_new_epoch else CountChange.BACK

    def _say_no_count(self, given: object) -> None:
        if not self._has_said_no_count:
            self._has_said_no_count = True
            logger.warning(
                "step() was given a %s, which is not read (to read a tensor is to wait for the GPU): each"
                " call counts as a step; give an int, or nothing.",
                type(given).__name__,
            )


def _whole_number(given: object) -> int | None:
    """None for what is none, and for tensors, whose value may be on a device."""
    if isinstance(given, torch.Tensor):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        return None
