"""The windows of one run, one after the other: when each begins, and what becomes of it."""

from __future__ import annotations

import contextlib
import logging
import time
from functools import partial
from time import perf_counter_ns

from tbprof.hook.hook_config import HookConfig
from tbprof.hook.memory.allocator_snapshot import watch_allocations
from tbprof.hook.memory.memory_step import MemoryRecorder, write_memory_step
from tbprof.hook.options import RecordOptions
from tbprof.hook.orphan_recovery import recover_windows
from tbprof.hook.publishing import Publisher
from tbprof.hook.safety.cuda_device import device_uuid
from tbprof.hook.safety.other_profilers import OnlySession
from tbprof.hook.step_clock import StepClock
from tbprof.hook.timetable import NEVER, DueWindow, SlowStepWatch, Timetable
from tbprof.hook.tracker_thread import TrackerThread
from tbprof.hook.trigger import Request, Trigger
from tbprof.hook.turn import ThreadAffinity
from tbprof.hook.window.facts import collect_facts, rank_and_world_size, worker_name
from tbprof.hook.window.input_steps import INPUT_STEPS, InputSteps
from tbprof.hook.window.post_window import PostWindow
from tbprof.hook.window.spooled_windows import SpooledWindows
from tbprof.hook.window.torch_profiler import supported_options
from tbprof.hook.window.window import ProfiledWindow
from tbprof.hook.window.window_measurements import WindowMeasurements
from tbprof.model import HookFacts
from tbprof.process.beside import within
from tbprof.remote.outbox import make_outbox

COUNT = "the count given to step() went back, or stood still"

STALL = "the end of a longer one would hold the training up for more than max_stall_ms, or 0.1 % of its time"


class ShortWindows:
    """Compares what was recorded with what was asked for."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def note(self, window: int, recorded_steps: int, asked_steps: int, reason: str | None) -> None:
        """A window is over, which `reason` has made shorter if anything has; None: the run ended in it."""
        if reason is not None and recorded_steps < asked_steps and reason not in self._said:
            self._said.add(reason)
            logger.warning(
                "Window %d has %d of %d steps, because %s.", window, recorded_steps, asked_steps, reason
            )


START_PATIENCE_S = 5.0
"""For a file system that may not answer: the publishing process makes the folder as well."""

ENOUGH_SHARE = 0.4
"""The share of a window's steps: one that is interrupted is kept with 2 of the usual 5."""


class Session:
    """Opens the spool, drives the windows through it, and hands them over to be published."""

    def __init__(self, config: HookConfig, clock: StepClock, origin: int, thread: ThreadAffinity) -> None:
        """`origin` is the number of steps that the training had taken when it went on from a checkpoint."""
        self._config = config
        self._options = supported_options(config.options)
        self._clock = clock
        self.phase = "training"
        """What the steps are."""
        self.was_interrupted = False
        """Whether a window ended because of the count that was given to `step()`."""
        self.was_left_open = False
        """Whether the run ended with a window that only another thread could have ended."""
        self.thread = thread
        self.rank = rank = rank_and_world_size()[0]
        self.worker = worker_name(config.worker, rank)
        self._window: ProfiledWindow | None = None
        self._asked_steps = 0
        self._short_windows = ShortWindows()
        self._torch = OnlySession()
        self._measurements = WindowMeasurements(clock)
        self._timetable = Timetable(
            config.schedule, Trigger(config.logdir, rank or 0), config.max_stall_ns, origin
        )
        self._memory = ScheduledMemory(config, self.worker, origin)
        if config.memory:
            watch_allocations()
        self._slow_steps = SlowStepWatch(config.schedule.slow_steps, clock)
        # Whoever looks below the log directory finds a run by its folder, where it ends before it publishes.
        with contextlib.suppress(OSError):
            make = partial(config.logdir.mkdir, parents=True, exist_ok=True)
            within(START_PATIENCE_S, make if config.address is None else partial(make_outbox, config.logdir))
        self.windows = SpooledWindows(config)
        self.publisher = Publisher(
            str(config.logdir),
            config.keep_arguments,
            self.windows.descriptors,
            speaks=not rank,
            place=config.place,
            telling=TrackerThread(is_wanted=config.trackers),
        )
        wants_inputs = config.record_inputs and not config.record_shapes
        inputs = InputSteps(self._recording_of_inputs if wants_inputs else None)
        self._post_window = PostWindow(config, clock, self.publisher.publish_own, inputs)
        for trace in recover_windows(self.windows.folder):
            self.publisher.publish(trace)

    @property
    def is_watching(self) -> bool:
        """Whether we slow the steps now."""
        return self._window is not None or self._post_window.is_auditing or self._memory.is_recording

    @property
    def has_given_way(self) -> bool:
        """Whether another profiler held a window up."""
        return self._timetable.has_given_way

    @property
    def belongs_elsewhere(self) -> bool:
        """Whether a window is in progress that another thread began: only that one may end it."""
        return self.is_watching and not self.thread.is_this

    def after_step(self, steps_taken: int, duration_ns: int) -> int:
        """Do what is due after a training step.

        Args:
            steps_taken: steps that are over, this one among them.
            duration_ns: host time of this step.

        Returns:
            The number of steps after which this must be called again.
        """
        if self.belongs_elsewhere:
            self.thread.say_elsewhere("step()")
            return steps_taken + 1
        if self._window is not None:
            self._advance(self._window, steps_taken, duration_ns)
        elif self._memory.is_recording:
            self._memory.after_step()
        else:
            if not self.is_watching and self._slow_steps.begins_window(steps_taken, duration_ns):
                self._timetable.ask(Request(self._config.schedule.active, "slow_step"))
            self._post_window.after_step(steps_taken)
        if self.is_watching:
            return steps_taken + 1
        return self.go_on(steps_taken)

    def go_on(self, steps_taken: int) -> int:
        """Begin a window with the next step if one is due; the number of steps after which to ask again."""
        self.publisher.collect()
        due = self._timetable.due(steps_taken)
        if due is not None and not (self.publisher.keeps_up() and self.windows.has_room()):
            self._timetable.wait_for_room(steps_taken)
        elif due is not None and not self._torch.take():
            self._timetable.give_way(steps_taken)
        elif due is not None:
            self._begin(due, steps_taken)
            return steps_taken + 1
        # The steps after a window are compared with those before it.
        elif not self._post_window.has_window and self._memory.begin_if_due(steps_taken):
            self.thread.take()
            return steps_taken + 1
        return max(steps_taken + 1, self._next_look(steps_taken))

    def _next_look(self, steps_taken: int) -> int:
        is_at_work = self.publisher.is_at_work
        self._clock.share_with_own_work(is_shared=is_at_work)
        # While something is published, its end is not long in coming.
        step_ns = None if is_at_work else self._clock.unprofiled.median_ns
        wishes = (
            self._timetable.next_look(steps_taken, step_ns),
            self._slow_steps.look(steps_taken),
            self._memory.look(steps_taken),
            self._post_window.due,
            self._clock.device.look(steps_taken),
        )
        return min(wish for wish in wishes if wish is not None)

    def _begin(self, due: DueWindow, steps_taken: int) -> None:
        self._post_window.end(steps_taken)
        self.thread.take()
        self._measurements.begin(due.begun_by)
        self._asked_steps = due.asked_steps
        self._window = ProfiledWindow(
            due.schedule,
            self._options,
            self.windows.recordings,
            self.worker,
            self._measurements.count,
            first_step=steps_taken,
            marks_modules=self._config.mark_modules,
        )
        self._window.start()
        if due.schedule.warmup > 0:
            self._post_window.begin_early()

    def _recording_of_inputs(self) -> ProfiledWindow:
        return ProfiledWindow(
            INPUT_STEPS,
            RecordOptions(record_shapes=True),
            self.windows.recordings,
            self.worker,
            lambda: None,
            marks_modules=self._config.mark_modules,
            with_device=False,
        )

    def leave_out(self, phase: str | None) -> None:
        """Exclude what follows from step times; None ends that."""
        if self.thread.is_this:
            self._measurements.leave_out(phase)
            self._post_window.pause_audit(paused=phase is not None)
            if phase is not None:
                self._memory.abandon()

    def interrupt(self, steps_taken: int, *, is_step_over: bool) -> None:
        """End what is being recorded: the steps are not such as follow one another.

        Args:
            steps_taken: steps that are over.
            is_step_over: whether the last of them has just ended, so that another one begins; else the
                count stands still, and another window would end as this one does.
        """
        window = self._window
        if self.belongs_elsewhere:
            return
        self._memory.abandon()
        if window is None:
            self._post_window.end(steps_taken)
            return
        self.was_interrupted, self._window = True, None
        self._post_window.end_early()
        is_enough = window.recorded_steps >= ENOUGH_SHARE * window.active
        if is_enough or not is_step_over:
            self._note_end(steps_taken, window.active)
        window.stop() if is_enough else window.abandon()
        self._torch.give_back()
        if is_enough and not window.taken_away:
            self._finish(window, steps_taken - is_step_over, COUNT, is_last_step_over=not is_step_over)

    def pause(self, steps_taken: int) -> None:
        """End the window that is in progress, and keep what it has: no step follows for now.

        One that lacks most of its steps is due again.
        """
        if self.belongs_elsewhere:
            return
        self._memory.abandon()
        window, self._window = self._window, None
        if window is not None:
            window.stop()
            self._torch.give_back()
            if window.recorded_steps >= ENOUGH_SHARE * window.active:
                self._note_end(steps_taken, window.recorded_steps)
            if window.recorded_steps > 0 and not window.taken_away:
                self._finish(window, steps_taken, None, is_last_step_over=True)
        self._post_window.end(steps_taken)

    def stop(self, steps_taken: int) -> None:
        """End the run, and keep what it has."""
        self.pause(steps_taken)
        self._post_window.say_if_slower(steps_taken)

    def abandon(self) -> None:
        """End the window that is in progress, and keep nothing."""
        self._memory.abandon()
        self._post_window.abandon(is_own_thread=not self.belongs_elsewhere)
        window, self._window = self._window, None
        if window is not None:
            self.windows.lost += 1
            self.was_left_open = not self.thread.is_this
            window.discard() if self.was_left_open else window.abandon()
        self._torch.give_back()

    def forget(self) -> None:
        """Drop everything and leave the profiler alone: this process is a copy of the one it belongs to."""
        if self._window is not None:
            self._window.forget()
        self._window = None
        self._torch.give_back()
        self._memory.abandon()
        self._post_window.forget()
        self.publisher.leave()
        self.windows.forget()

    def leave(self) -> None:
        """Let what is being published go on by itself, and remove the spool folder if nothing waits in it."""
        self.publisher.leave()
        self.windows.leave()

    def _advance(self, window: ProfiledWindow, steps_taken: int, duration_ns: int) -> None:
        if window.is_recording:
            self._measurements.end_step(duration_ns)
        else:
            self._post_window.end_early()
            self._measurements.count_from_here()
        began_ns = perf_counter_ns()
        window.advance()
        if not window.is_over:
            return
        self._window = None
        self._torch.give_back()
        if window.taken_away:
            self._timetable.give_way(steps_taken)
            return
        self._note_end(steps_taken, window.recorded_steps, perf_counter_ns() - began_ns)
        self._finish(window, steps_taken, STALL, is_last_step_over=False)

    def _note_end(self, steps_taken: int, recorded_steps: int, stall_ns: int = 0) -> None:
        self._timetable.end(
            steps_taken,
            begun_by=self._measurements.begun_by,
            recorded_steps=recorded_steps,
            stall_ns=stall_ns,
            step_ns=self._clock.unprofiled.median_ns,
        )

    def _finish(
        self, window: ProfiledWindow, steps_taken: int, why_short: str | None, *, is_last_step_over: bool
    ) -> None:
        kept = self.windows.keep(window, lambda: self._facts(window, steps_taken))
        if kept is not None:
            # Where the device's library stopped, the window has said so itself.
            steps = window.active if why_short == STALL else window.recorded_steps
            self._short_windows.note(kept.facts.window, steps, self._asked_steps, why_short)
            self._post_window.begin(kept, steps_taken, is_last_step_over=is_last_step_over)

    def _facts(self, window: ProfiledWindow, steps_taken: int) -> HookFacts:
        missing = self._measurements.missing
        missing.add(window.missing.facts)
        self.publisher.gpu = missing.ask("other_gpu_processes", device_uuid, None)
        measured = self._measurements.facts(
            self.windows.recorded,
            window.recorded_steps,
            steps_taken,
            self.phase,
            window.start_ns,
            None if window.collections is None else window.collections.found,
            is_undisturbed=not self._timetable.has_given_way,
        )
        return collect_facts(self.worker, self._options, measured, missing)


logger = logging.getLogger("tbprof")


class ScheduledMemory:
    """One such step after the other; one that is due while a window is recorded comes after it."""

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

    def abandon(self) -> None:
        """Follow the step no longer, and leave nothing of it."""
        self._recorder.abandon()

    def _next(self, step: int) -> int:
        found = None if self._schedule is None else self._schedule.next_recorded(step, self._origin)
        return NEVER if found is None else found
