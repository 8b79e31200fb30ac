"""The windows of one run, one after the other: when each begins, and what becomes of it."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path
from time import perf_counter_ns

from tbprof.hook.adoption import adopt_windows
from tbprof.hook.audit import NO_STEP
from tbprof.hook.audited_window import AuditedWindow
from tbprof.hook.facts import collect_facts, rank_and_world_size, worker_name
from tbprof.hook.foreign import foreign_profiler_at_work
from tbprof.hook.measures import Measures
from tbprof.hook.own_thread import OwnThread
from tbprof.hook.plan import Plan
from tbprof.hook.publishing import Publisher
from tbprof.hook.room import Room
from tbprof.hook.schedule import Schedule
from tbprof.hook.spool import facts_path, open_spool, remove_empty_folders
from tbprof.hook.step_clock import StepClock
from tbprof.hook.timetable import Timetable
from tbprof.hook.trigger import Trigger
from tbprof.hook.window import ProfiledWindow
from tbprof.hook.window_times import WindowTimes

__all__ = ["Session"]

logger = logging.getLogger("tbprof")


class Session:
    """Opens the spool, drives the windows through it, and hands them over to be published."""

    def __init__(self, plan: Plan, clock: StepClock) -> None:
        self._plan = plan
        self._clock = clock
        self.thread = OwnThread()
        self._worker = worker_name(plan.worker, rank_and_world_size()[0])
        self._window: ProfiledWindow | None = None
        self._audited: AuditedWindow | None = None
        self._measures = Measures(clock)
        self._timetable = Timetable(plan.schedule, Trigger(plan.logdir), plan.max_stall_ns)
        self.recorded = 0
        """Windows whose trace was written."""
        self.lost = 0
        """Windows that were due and gave no trace."""
        keep = ("--keep-windows", str(plan.keep_windows), "--keep-bytes", str(plan.keep_bytes))
        self.publisher = Publisher(str(plan.logdir), keep)
        self.folder = open_spool(plan.logdir, plan.spool)
        """The spool folder of this process."""
        self._recordings = self.folder / "recording"
        """Where torch writes; what is whole and has its facts goes up to the folder."""
        self._times = WindowTimes()
        self._room = Room(self.folder)
        for trace in adopt_windows(self.folder):
            self.publisher.publish(trace)

    @property
    def is_watching(self) -> bool:
        """Whether we slow the steps now."""
        return self._window is not None or self._audited is not None

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
        elif self._audited is not None:
            self._end_audit(self._audited)
        if self.is_watching:
            return steps_taken + 1
        return self.go_on(steps_taken)

    def go_on(self, steps_taken: int) -> int:
        """Begin a window with the next step if one is due; the number of steps after which to ask again."""
        self.publisher.collect()
        schedule = self._timetable.due(steps_taken)
        if schedule is not None and foreign_profiler_at_work(None):
            self._timetable.give_way(steps_taken)
        elif schedule is not None and not self._room.is_enough():
            self._timetable.wait_for_room(steps_taken)
        elif schedule is not None:
            self._begin(schedule, steps_taken)
            return steps_taken + 1
        # While something is published, its end is not long in coming.
        step_ns = None if self.publisher.running else self._clock.median_unprofiled_ns
        return self._timetable.next_look(steps_taken, step_ns)

    def _begin(self, schedule: Schedule, steps_taken: int) -> None:
        self.thread.take()
        self._measures.begin(first_step=steps_taken + schedule.warmup)
        self._window = ProfiledWindow(schedule, self._plan.options, self._recordings, self._worker)
        self._window.start()

    def pause_audit(self, *, paused: bool) -> None:
        """Leave the lines of an evaluation out, which belongs to no step."""
        if self._audited is not None and self.thread.is_this:
            self._audited.pause(paused=paused)

    def stop(self) -> None:
        """End the window that is in progress, and keep what it has."""
        window, self._window = self._window, None
        if window is not None:
            window.stop()
            if window.recorded_steps > 0 and not window.taken_away:
                self._finish(window)
        audited, self._audited = self._audited, None
        if audited is not None:
            if self._plan.record_lines:
                # What came after the last step is no step: its lines would be joined wrongly.
                audited.give_up(NO_STEP)
            self.publisher.publish(audited.trace)

    def abandon(self) -> None:
        """End the window that is in progress, and keep nothing."""
        if self._audited is not None:
            self._audited.turn_off() if self.belongs_elsewhere else self._audited.leave()
            self.publisher.publish(self._audited.trace)
            self._audited = None
        if self._window is None:
            return
        self.lost += 1
        if self.belongs_elsewhere:
            self._window.discard()
        else:
            self._window.recorded_steps = 0
            self._window.stop()
        self._window = None

    def forget(self) -> None:
        """Let go of everything without touching it: this process is a copy of the one it belongs to."""
        self._window = None
        if self._audited is not None:
            # Of all threads the child has the one that forked.
            self._audited.leave()
        self._audited = None
        self.publisher.leave()

    def leave(self) -> None:
        """Let what is being published go on by itself, and remove the spool folder if nothing waits in it."""
        self.publisher.leave()
        remove_empty_folders(self.folder)
        with contextlib.suppress(OSError):
            self.folder.parent.rmdir()

    def _advance(self, window: ProfiledWindow, steps_taken: int, duration_ns: int) -> None:
        if window.is_recording:
            self._clock.profiled_ns.append(duration_ns)
        began_ns = perf_counter_ns()
        window.advance()
        if not window.is_over:
            if window.recorded_steps == 0:
                self._measures.count_from_here()
            return
        self._window = None
        if window.taken_away:
            self._timetable.give_way(steps_taken)
            return
        stall_ns = perf_counter_ns() - began_ns
        self._timetable.end(steps_taken, recorded_steps=window.recorded_steps, stall_ns=stall_ns)
        self._finish(window)
        if self._audited is not None:
            self._start_audit(self._audited)

    def _start_audit(self, audited: AuditedWindow) -> None:
        """The step that follows is the audit step, unless lines are not wanted or can't be recorded."""
        if not self._plan.record_lines or not audited.start(embed_source=self._plan.embed_source):
            self._audited = None
            self.publisher.publish(audited.trace)

    def _end_audit(self, audited: AuditedWindow) -> None:
        self._audited = None
        audited.finish()
        self.publisher.publish(audited.trace)

    def _finish(self, window: ProfiledWindow) -> None:
        if window.trace is None:
            self._lose(window.export_error or "torch wrote no file, as it does when the disk is full")
            return
        named = self.folder / self._times.named(window.trace)
        try:
            self._audited = self._kept(window.trace, named, window.recorded_steps)
        except OSError as error:
            self._lose(error, window.trace, facts_path(named))
            return
        self.recorded += 1

    def _kept(self, trace: Path, named: Path, recorded_steps: int) -> AuditedWindow:
        """Write the facts, and then give the trace its place beside them: now the window is whole."""
        self._room.note(trace)
        undisturbed = not self._timetable.has_given_way
        measured = self._measures.facts(self.recorded, recorded_steps, is_undisturbed=undisturbed)
        audited = AuditedWindow(named, collect_facts(self._worker, self._plan.options, measured))
        trace.rename(named)
        return audited

    def _lose(self, reason: Exception | str, *left: Path) -> None:
        self.lost += 1
        for path in left:
            with contextlib.suppress(OSError):
                path.unlink()
        logger.warning("A window was recorded and is lost: %s (in %s).", reason, self.folder)
