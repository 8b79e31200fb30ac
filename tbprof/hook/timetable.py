"""When a window begins, and how many steps it records."""

from __future__ import annotations

import dataclasses
import logging
import sys
from dataclasses import dataclass

from tbprof.hook.schedule import NO_STEP_NS, Schedule, SlowSteps
from tbprof.hook.step_clock import StepClock
from tbprof.hook.trigger import Request, Trigger

NEVER = sys.maxsize
"""The number of a step that no run reaches."""

LOOK_NS = 5_000_000_000
"""Time between two looks at the trigger file."""

FIRST_LOOK_STEPS = 10
"""Steps between two looks while nobody knows how long a step takes, or a window is being published."""

STALL_SHARE = 0.001
"""The part of a long run's time that the ends of its windows may take."""


@dataclass(frozen=True, slots=True)
class DueWindow:
    """A window that begins now."""

    schedule: Schedule
    """Its warm-up, and the steps that it records."""
    begun_by: str
    """"schedule", "trigger" or "slow_step"."""
    asked_steps: int
    """The steps that it was to record; more than it does where its end would take too long."""


class Timetable:
    """Windows by the schedule, windows that are asked for, and how long to give way to others.

    The schedule's windows begin at the same steps whatever held one of them up or made it
    shorter, so that all ranks of a training record the same ones.
    """

    def __init__(self, schedule: Schedule, trigger: Trigger, max_stall_ns: int, origin: int = 0) -> None:
        """`origin` is the number of steps that the training had taken when it went on from a checkpoint."""
        self.schedule = schedule
        self._trigger = trigger
        self._max_stall_ns = max_stall_ns
        self._origin = origin
        self._backoff = Backoff(schedule.window_steps)
        self._ended = 0
        self._due = self._next_start(0)
        self._not_before = 0
        self._asked: Request | None = None
        self._most_steps = NEVER

    @property
    def has_given_way(self) -> bool:
        """Whether another profiler may have slowed down steps of this run."""
        return self._backoff.has_happened

    def ask(self, request: Request) -> None:
        """A window is wanted besides those of the schedule; one that waits already stands for both."""
        self._asked = self._asked or request

    def due(self, steps_taken: int) -> DueWindow | None:
        """The window that begins now; None where none does."""
        if self._asked is None:
            self._asked = self._trigger.request(self.schedule.active)
        if steps_taken < self._not_before:
            return None
        if self._asked is not None and steps_taken >= self._asked_start(self._asked):
            return self._window(self._asked.steps, self._asked.begun_by)
        if steps_taken >= self._due:
            return self._window(self.schedule.active, "schedule")
        return None

    def give_way(self, steps_taken: int) -> None:
        """Another profiler is at work: the window is due again later."""
        self._not_before = steps_taken + self._backoff.steps()

    def wait_for_room(self, steps_taken: int) -> None:
        """The disk is full, or too many windows wait on it: the window is due again later."""
        self._not_before = steps_taken + self.schedule.window_steps

    def end(
        self, steps_taken: int, *, begun_by: str, recorded_steps: int, stall_ns: int, step_ns: int | None
    ) -> None:
        """A window is over.

        Args:
            steps_taken: steps that are over.
            begun_by: what began it.
            recorded_steps: steps in it.
            stall_ns: how long its end held the training up, which grows with its steps.
            step_ns: how long a step takes without a profiler; None where it is not known.
        """
        self._backoff.end()
        self._most_steps = max(1, recorded_steps * self._stall_budget_ns(step_ns) // max(stall_ns, 1))
        # One step lies between two windows in any case: lines are recorded in it.
        self._not_before = steps_taken + 1
        if begun_by != "schedule":
            self._asked = None
            return
        self._ended += 1
        self._due = self._next_start(steps_taken + 1)

    def next_look(self, steps_taken: int, step_ns: int | None) -> int:
        """The number of steps after which to ask again.

        Args:
            steps_taken: steps that are over.
            step_ns: how long one takes; None where it is not known, or to ask soon.
        """
        look = FIRST_LOOK_STEPS if step_ns is None else max(1, LOOK_NS // max(step_ns, 1))
        wanted = self._due if self._asked is None else min(self._due, self._asked_start(self._asked))
        return max(steps_taken + 1, min(max(wanted, self._not_before), steps_taken + look))

    def _window(self, steps: int, begun_by: str) -> DueWindow:
        active = min(steps, self._most_steps)
        return DueWindow(dataclasses.replace(self.schedule, active=active, steps=()), begun_by, steps)

    def _asked_start(self, request: Request) -> int:
        return max(0, request.first_step - self.schedule.warmup)

    def _stall_budget_ns(self, step_ns: int | None) -> int:
        if self.schedule.repeat != 0 or step_ns is None:
            return self._max_stall_ns
        return min(self._max_stall_ns, int(STALL_SHARE * self.schedule.cycle_steps * step_ns))

    def _next_start(self, steps: int) -> int:
        """How many steps are over when the schedule's next window begins: at `steps` or later."""
        schedule = self.schedule
        if schedule.steps:
            starts = (step - schedule.warmup for step in schedule.steps)
            return next((start for start in starts if start >= max(steps, self._origin)), NEVER)
        if schedule.repeat and self._ended >= schedule.repeat:
            return NEVER
        if schedule.repeat:
            # A run that goes on from a checkpoint starts up as well.
            first, least = self._origin + schedule.first_start, steps
        else:
            first, least = schedule.first_start, max(steps, self._origin + schedule.skip_first)
        cycles = max(0, -(-(least - first) // schedule.cycle_steps))
        return first + cycles * schedule.cycle_steps


logger = logging.getLogger("tbprof")


class Backoff:
    """Says once that it gives way, and waits twice as long each time."""

    def __init__(self, shortest_steps: int) -> None:
        self._shortest_steps = shortest_steps
        self._steps = 0
        self.has_happened = False
        """Whether it ever gave way: nobody knows which steps the other profiler has slowed down."""

    def steps(self) -> int:
        """Steps until the next try."""
        if not self.has_happened:
            self.has_happened = True
            logger.warning("Another profiler is running in this process: tbprof waits and tries again later.")
        self._steps = 2 * self._steps or self._shortest_steps
        return self._steps

    def end(self) -> None:
        """A window was recorded: the next time is a first time again."""
        self._steps = 0


FEWEST_STEPS = 20
"""Steps that must be known before one of them can be called slow."""

ENOUGH_STEPS = 500
"""The number of steps from which their median hardly changes, and is taken again as often."""


class SlowStepWatch:
    """Keeps the clock's limit at `factor` times the median of its latest steps."""

    def __init__(self, wanted: SlowSteps | None, clock: StepClock) -> None:
        self._wanted = wanted
        self._clock = clock
        self._left = 0 if wanted is None else wanted.at_most
        self._not_before = 0

    def look(self, steps_taken: int) -> int | None:
        """Bring the limit up to date; the steps after which to do it again, None for never."""
        self._clock.slow_ns = NO_STEP_NS
        if self._wanted is None or self._left == 0:
            return None
        known, median_ns = len(self._clock.unprofiled_ns), self._clock.unprofiled.median_ns
        if median_ns is not None and known >= FEWEST_STEPS:
            self._clock.slow_ns = round(self._wanted.factor * median_ns)
        return steps_taken + (FEWEST_STEPS if known < ENOUGH_STEPS else ENOUGH_STEPS)

    def begins_window(self, steps_taken: int, duration_ns: int) -> bool:
        """Whether a step that is just over was slow, and begins a window; if so, it is counted."""
        if self._wanted is None or self._left == 0 or steps_taken < self._not_before:
            return False
        if duration_ns < self._clock.slow_ns:
            return False
        self._left -= 1
        self._not_before = steps_taken + self._wanted.cool_down
        return True
