"""When a window begins, and how many steps it records."""

from __future__ import annotations

import dataclasses
import sys

from tbprof.hook.giving_way import GivingWay
from tbprof.hook.schedule import Schedule
from tbprof.hook.trigger import Trigger

__all__ = ["FIRST_LOOK_STEPS", "NEVER", "Timetable"]

NEVER = sys.maxsize
"""The number of a step that no run reaches."""

LOOK_NS = 5_000_000_000
"""Time between two looks at the trigger file."""

FIRST_LOOK_STEPS = 10
"""Steps between two looks while nobody knows how long a step takes, or a window is being published."""


class Timetable:
    """Windows by the schedule, windows that are asked for, and how long to give way to others."""

    def __init__(self, schedule: Schedule, trigger: Trigger, max_stall_ns: int) -> None:
        self.schedule = schedule
        self._trigger = trigger
        self._max_stall_ns = max_stall_ns
        self._giving_way = GivingWay(schedule.window_steps)
        self._due = schedule.first_start
        self._not_before = 0
        self._ended = 0
        self._asked_steps: int | None = None
        self._most_steps = NEVER

    @property
    def has_given_way(self) -> bool:
        """Whether another profiler may have slowed down steps of this run."""
        return self._giving_way.has_happened

    def due(self, steps_taken: int) -> Schedule | None:
        """The schedule of the window that begins now; None where none does."""
        if self._asked_steps is None:
            self._asked_steps = self._trigger.asked_steps(self.schedule.active)
        is_asked = self._asked_steps is not None
        if steps_taken < self._not_before or not (is_asked or steps_taken >= self._due):
            return None
        active = self._asked_steps if self._asked_steps is not None else self.schedule.active
        return dataclasses.replace(self.schedule, active=min(active, self._most_steps))

    def give_way(self, steps_taken: int) -> None:
        """Another profiler is at work: the window is due again later."""
        self._not_before = steps_taken + self._giving_way.steps()

    def wait_for_room(self, steps_taken: int) -> None:
        """The disk is full: the window is due again later."""
        self._not_before = steps_taken + self.schedule.window_steps

    def end(self, steps_taken: int, *, recorded_steps: int, stall_ns: int) -> None:
        """A window is over; its end held the training up for `stall_ns`, which grows with its steps."""
        self._giving_way.end()
        self._most_steps = max(1, recorded_steps * self._max_stall_ns // max(stall_ns, 1))
        # One step lies between two windows in any case, so that cycles are equally long.
        self._not_before = steps_taken + 1
        if self._asked_steps is not None:
            self._asked_steps = None
            return
        self._ended += 1
        is_last = self.schedule.repeat and self._ended >= self.schedule.repeat
        self._due = NEVER if is_last else steps_taken + max(self.schedule.wait, 1)

    def next_look(self, steps_taken: int, step_ns: int | None) -> int:
        """The number of steps after which to ask again.

        Args:
            steps_taken: steps that are over.
            step_ns: how long one takes; None where it is not known, or to ask soon.
        """
        look = FIRST_LOOK_STEPS if step_ns is None else max(1, LOOK_NS // max(step_ns, 1))
        wanted = steps_taken if self._asked_steps is not None else self._due
        return max(steps_taken + 1, min(max(wanted, self._not_before), steps_taken + look))
