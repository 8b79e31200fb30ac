"""The windows of one run, one after the other: when each begins, and what becomes of it."""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
from pathlib import Path

from tbprof.hook.facts import WindowFacts, collect_facts, rank_and_world_size, worker_name, write_facts
from tbprof.hook.foreign import foreign_profiler_at_work
from tbprof.hook.plan import Plan
from tbprof.hook.publishing import Publisher
from tbprof.hook.spool import adopt_windows, facts_path, open_spool
from tbprof.hook.step_clock import StepClock
from tbprof.hook.window import ProfiledWindow

__all__ = ["NEVER", "Session"]

logger = logging.getLogger("tbprof")

NEVER = sys.maxsize
"""The number of a step that no run reaches."""


class Session:
    """Opens the spool, drives the windows through it, and hands them over to be published."""

    def __init__(self, plan: Plan, clock: StepClock) -> None:
        self._plan = plan
        self._clock = clock
        self._owner = threading.get_ident()
        self._worker = worker_name(plan.worker, rank_and_world_size()[0])
        self._window: ProfiledWindow | None = None
        self._first_step = 0
        self._put_off_steps = 0
        self._said_foreign = False
        self._said_elsewhere = False
        self.recorded = 0
        """Windows whose trace was written."""
        self.lost = 0
        """Windows that were due and gave no trace."""
        self.publisher = Publisher(str(plan.logdir))
        self.folder = open_spool(plan.logdir, plan.spool)
        """The spool folder of this process."""
        for trace in adopt_windows(self.folder):
            self.publisher.publish(trace)

    @property
    def window_in_progress(self) -> bool:
        """Whether a profiler of ours is there now."""
        return self._window is not None

    @property
    def belongs_elsewhere(self) -> bool:
        """Whether a window is in progress that another thread began: only that one may end it."""
        return self._window is not None and threading.get_ident() != self._owner

    def after_step(self, steps_taken: int, duration_ns: int) -> int:
        """Do what is due after a training step.

        Args:
            steps_taken: steps that are over, this one among them.
            duration_ns: host time of this step.

        Returns:
            The number of steps after which this must be called again.
        """
        if self._window is None:
            return self.begin(steps_taken)
        if self.belongs_elsewhere:
            self.say_elsewhere("step()")
            return steps_taken + 1
        return self._advance(self._window, steps_taken, duration_ns)

    def say_elsewhere(self, call: str) -> None:
        """Log once that a call came from a thread that can't touch the window."""
        if not self._said_elsewhere:
            self._said_elsewhere = True
            logger.warning(
                "%s came from another thread than the one whose window is being recorded, and is left out;"
                " call it from the training thread.",
                call,
            )

    def begin(self, steps_taken: int) -> int:
        """Begin a window with the next step, or put it off while another profiler is at work."""
        if foreign_profiler_at_work(None):
            return self._put_off(steps_taken)
        self._owner = threading.get_ident()
        self._clock.profiled_ns.clear()
        self._first_step = steps_taken + self._plan.schedule.warmup
        window = ProfiledWindow(self._plan.schedule, self._plan.options, self.folder, self._worker)
        self._window = window
        window.start()
        return steps_taken + 1

    def stop(self) -> None:
        """End the window that is in progress, and keep what it has."""
        window, self._window = self._window, None
        if window is None:
            return
        window.stop()
        if window.recorded_steps > 0 and not window.taken_away:
            self._finish(window)

    def abandon(self) -> None:
        """End the window that is in progress, and keep nothing."""
        if self._window is None:
            return
        if self.belongs_elsewhere:
            self._window.discard()
        else:
            self._window.recorded_steps = 0
            self._window.stop()
        self._window = None

    def forget(self) -> None:
        """Let go of everything without touching it: this process is a copy of the one it belongs to."""
        self._window = None
        self.publisher.leave()

    def leave(self) -> None:
        """Let what is being published go on by itself, and remove the spool folder if nothing waits in it."""
        self.publisher.leave()
        with contextlib.suppress(OSError):
            self.folder.rmdir()
            self.folder.parent.rmdir()

    def _advance(self, window: ProfiledWindow, steps_taken: int, duration_ns: int) -> int:
        if window.is_recording:
            self._clock.profiled_ns.append(duration_ns)
        window.advance()
        if not window.is_over:
            return steps_taken + 1
        self._window = None
        if window.taken_away:
            return self._put_off(steps_taken)
        self._finish(window)
        return self._plan_next(steps_taken)

    def _plan_next(self, steps_taken: int) -> int:
        schedule = self._plan.schedule
        if schedule.repeat and self.recorded + self.lost >= schedule.repeat:
            return NEVER
        if schedule.wait == 0:
            return self.begin(steps_taken)
        return steps_taken + schedule.wait

    def _put_off(self, steps_taken: int) -> int:
        if not self._said_foreign:
            self._said_foreign = True
            logger.warning(
                "Another profiler is at work in this process: tbprof gives way and tries again later."
            )
        self._put_off_steps = 2 * self._put_off_steps or self._plan.schedule.window_steps
        return steps_taken + self._put_off_steps

    def _finish(self, window: ProfiledWindow) -> None:
        self._put_off_steps = 0
        self.publisher.collect()
        if window.trace is not None:
            self._hand_over(window, window.trace)
        else:
            self.lost += 1
            reason = window.export_error or "torch wrote no file, as it does when the disk is full"
            logger.warning("A window was recorded and is lost: %s (in %s).", reason, self.folder)

    def _hand_over(self, window: ProfiledWindow, trace: Path) -> None:
        counted = WindowFacts(
            window=self.recorded,
            first_step=self._first_step,
            recorded_steps=window.recorded_steps,
            # Nobody knows which steps another profiler has slowed down.
            unprofiled_step_ns=None if self._said_foreign else self._clock.median_unprofiled_ns,
            profiled_step_ns=self._clock.median_profiled_ns,
        )
        write_facts(collect_facts(self._worker, self._plan.options, counted), facts_path(trace))
        self.recorded += 1
        self.publisher.publish(trace)
