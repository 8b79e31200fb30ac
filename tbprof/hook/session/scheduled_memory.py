"""Steps in which storages are followed by a schedule of their own, besides windows."""

from __future__ import annotations

import logging
import time

from tbprof.hook.config.hook_config import HookConfig
from tbprof.hook.memory.memory_step import MemoryRecorder, write_memory_step
from tbprof.hook.steps.timetable import NEVER

logger = logging.getLogger("tbprof")


class ScheduledMemory:
    """One such step after the other; one that is due while a window is recorded comes behind it."""

    def __init__(self, config: HookConfig, worker: str, origin: int) -> None:
        """`origin` is the number of steps that the training had taken when it went on from a checkpoint."""
        self._schedule = config.memory_schedule
        self._logdir = config.logdir
        self._kept = config.keep_windows
        self._worker = worker
        self._origin = origin
        self._recorder = MemoryRecorder(is_wanted=self._schedule is not None)
        self._due = self._next(0)

    @property
    def is_recording(self) -> bool:
        """Whether a step is being followed, which makes it slower."""
        return self._recorder.is_recording

    def look(self, steps_taken: int) -> int:
        """The number of steps after which to ask again."""
        return max(self._due, steps_taken + 1)

    def begin_if_due(self, steps_taken: int) -> bool:
        """A step begins that is in no window; whether it is followed."""
        if steps_taken < self._due:
            return False
        self._due = self._next(steps_taken + 1)
        self._recorder.begin(steps_taken)
        if self._recorder.is_waiting:
            self._due = steps_taken + 1
        return self._recorder.is_recording

    def after_step(self) -> None:
        """It is over: leave what is known of it."""
        found = self._recorder.after_step(self._worker)
        if found is None:
            return
        try:
            stem = f"{self._worker}.{time.time_ns()}"
            write_memory_step(found, self._logdir, stem, self._kept, self._recorder.snapshot)
        except OSError as error:
            logger.warning("What held memory after %d steps could not be written: %s", found.step, error)

    def abandon(self, *, is_own_thread: bool = True) -> None:
        """Follow the step no longer, and leave nothing of it."""
        self._recorder.abandon() if is_own_thread else self._recorder.turn_off()

    def _next(self, step: int) -> int:
        found = None if self._schedule is None else self._schedule.next_recorded(step, self._origin)
        return NEVER if found is None else found
