"""What a training loop holds: the only class of the hook that users see."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from tbprof.hook.annotation import annotate
from tbprof.hook.farewell import log_farewell
from tbprof.hook.forks import disarm_in_forked_children
from tbprof.hook.guard import Guard
from tbprof.hook.options import RecordOptions
from tbprof.hook.plan import AnyPath, checked_plan
from tbprof.hook.schedule import Schedule
from tbprof.hook.session import Session
from tbprof.hook.step_clock import StepClock
from tbprof.hook.timetable import FIRST_LOOK_STEPS, NEVER

__all__ = ["TrainerHook"]


class TrainerHook:
    """Profiles a few steps of a training run and publishes them into a log directory.

        with tbprof.TrainerHook("logs/run1") as hook:
            for batch in loader:
                train_step(batch)
                hook.step()

    Without `with`, call `close()` after the training; a run that forgets it is closed when
    Python exits. Nothing that goes wrong in the hook reaches the training: the first fault
    is logged under the logger `tbprof`, profiling ends, and the training goes on.

    A running training is asked for a window by `echo 5 > logs/run1/tbprof.trigger`: one of 5
    steps begins a few seconds later.

    Args:
        logdir: the run's folder beneath TensorBoard's log directory; made where missing.
        schedule: which steps are recorded.
        worker: name of this process on screen, instead of `<host>_<pid>`; the rank is added.
        with_stack, record_shapes, profile_memory, with_flops, with_modules: torch.profiler's
            own switches. Each makes the recorded steps slower, and so the waits in them.
        record_lines: record in the step after each window which lines sync or copy; that step
            is in no time.
        embed_source: keep the code around these lines with the window; whoever may read the
            log directory reads it.
        max_stall_ms: how long the end of a window may hold the training up; after the first
            window, the others record fewer steps where it took longer.
        keep_windows: windows of each worker that keep their raw trace; older ones keep the report.
        keep_bytes: what the run's published files may take in all; the oldest go first. A file
            `tbprof.pin` in the run's folder keeps everything.
        spool: where windows wait until they are published, instead of the user's cache folder.

    Raises:
        UsageError: an argument can't be used. Nothing else of this class raises.
    """

    def __init__(
        self,
        logdir: AnyPath,
        *,
        schedule: Schedule | None = None,
        worker: str | None = None,
        with_stack: bool = False,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        record_lines: bool = True,
        embed_source: bool = True,
        max_stall_ms: float = 250,
        keep_windows: int = 20,
        keep_bytes: int = 5_000_000_000,
        spool: AnyPath | None = None,
    ) -> None:
        options = RecordOptions(with_stack, record_shapes, profile_memory, with_flops, with_modules)
        self._plan = checked_plan(
            logdir,
            schedule,
            options,
            worker,
            spool,
            record_lines=record_lines,
            embed_source=embed_source,
            max_stall_ms=max_stall_ms,
            keep_windows=keep_windows,
            keep_bytes=keep_bytes,
        )
        self._guard = Guard(self._end_profiling)
        self._clock = StepClock()
        self._session: Session | None = None
        self._steps_taken = 0
        self._next_event = 1
        self._in_phase = False
        self._begun = False
        self._closed = False

    def __enter__(self) -> TrainerHook:
        self._guard.run(self._begin_run)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # Who is leaving on an exception, or on Ctrl-C, is not made to wait.
        self.close() if error is None else self.close(wait_s=0.0)

    def step(self) -> None:
        """Call this at the end of every training step; outside windows it takes under 1 us."""
        if self._in_phase:
            return
        duration_ns = self._clock.lap()
        self._steps_taken += 1
        if self._steps_taken < self._next_event:
            self._clock.unprofiled_ns.append(duration_ns)
            return
        self._guard.run(self._at_event, duration_ns)
        self._clock.restart()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Mark work that belongs to no training step, such as an evaluation; use it right after `step()`.

        It is left out of the measured step times and of the recorded lines, and `step()` inside
        it counts nothing. Inside a window it is recorded under its name.
        """
        outer, self._in_phase = self._in_phase, True
        self._pause_audit(paused=True)
        try:
            with annotate(name):
                yield
        finally:
            self._in_phase = outer
            self._pause_audit(paused=outer)
            self._clock.restart()

    def close(self, wait_s: float = 5.0) -> None:
        """End the profiling, and wait at most `wait_s` seconds until the windows are published.

        What is not published by then goes on in a process of its own. Closing twice is harmless.
        """
        if self._closed:
            return
        if self._session is not None and self._session.belongs_elsewhere:
            self._session.thread.say_elsewhere("close()")
            return
        self._closed = True
        self._next_event = NEVER
        atexit.unregister(self._close_at_exit)
        self._guard.run(self._stop)
        self._guard.run(self._take_leave, wait_s)

    def _close_at_exit(self) -> None:
        if self._session is not None and self._session.belongs_elsewhere:
            self._guard.run(self._session.abandon)
        self.close()

    def _begin_run(self) -> None:
        """Whatever comes first: entering the `with`, or the end of the first step."""
        if self._begun or self._closed:
            return
        self._begun = True
        atexit.register(self._close_at_exit)
        first = min(self._plan.schedule.first_start, FIRST_LOOK_STEPS)
        self._next_event = max(first, self._steps_taken)
        if self._next_event == self._steps_taken:
            self._next_event = self._opened_session().go_on(self._steps_taken)
        self._clock.restart()

    def _at_event(self, duration_ns: int) -> None:
        if not self._begun:
            # Nobody saw when this step began, so that its time is none.
            self._begin_run()
            return
        session = self._opened_session()
        if not session.is_watching:
            self._clock.unprofiled_ns.append(duration_ns)
        self._next_event = session.after_step(self._steps_taken, duration_ns)

    def _opened_session(self) -> Session:
        if self._session is None:
            disarm_in_forked_children(self._disarm)
            self._session = Session(self._plan, self._clock)
        return self._session

    def _pause_audit(self, *, paused: bool) -> None:
        if self._session is not None:
            self._guard.run(self._session.pause_audit, paused=paused)

    def _stop(self) -> None:
        if self._session is not None:
            self._session.stop()

    def _take_leave(self, wait_s: float) -> None:
        if self._session is not None:
            self._session.publisher.wait(wait_s)
        has_failed = self._guard.fault is not None
        log_farewell(self._plan, self._session, self._steps_taken, has_failed=has_failed)
        if self._session is not None:
            self._session.leave()

    def _end_profiling(self) -> None:
        """After a fault: the training goes on without us."""
        self._next_event = NEVER
        if self._session is not None:
            self._session.abandon()

    def _disarm(self) -> None:
        """In a forked child: the window, the spool and the publishing belong to the parent."""
        self._next_event = NEVER
        self._closed = True
        if self._session is not None:
            self._session.forget()
