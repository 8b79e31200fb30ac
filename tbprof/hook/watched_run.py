"""The life of a watched run: begun when it is first needed, ended whatever happens."""

from __future__ import annotations

import logging
from functools import partial

from tbprof.hook.hook_config import HookConfig
from tbprof.hook.memory.memory_step import leave_optimizers, watch_optimizers
from tbprof.hook.memory.out_of_memory import explain_out_of_memory, uncaught_error
from tbprof.hook.run_ledger import OUTSIDE
from tbprof.hook.run_summary import RunWarnings, log_run_summary
from tbprof.hook.safety.cuda_device import old_torch_problem
from tbprof.hook.safety.guard import Guard
from tbprof.hook.safety.modes import leave_waiting
from tbprof.hook.safety.other_profilers import watch_profilers
from tbprof.hook.safety.process_end import ProcessEnd, disarm_in_forked_children
from tbprof.hook.session import Session
from tbprof.hook.step_clock import StepClock
from tbprof.hook.step_count import CountChange, StepCount
from tbprof.hook.timetable import FIRST_LOOK_STEPS, NEVER
from tbprof.hook.turn import ThreadAffinity, Turn, in_backward
from tbprof.hook.whole_run import LOOK_STEPS, WholeRun
from tbprof.program.predicting import is_predicted

logger = logging.getLogger("tbprof")

_LONGEST_WAIT_S = 5.0
"""How long `close()` waits until another thread's call of the hook is over."""

INFERENCE = "inference"
"""The phase whose steps are what the program is there for."""


class WatchedRun:
    """What happens after a `TrainerHook`; every entry is guarded."""

    def __init__(self, config: HookConfig) -> None:
        self.config = config
        self.guard = Guard(self._end_profiling)
        """For whoever calls the hook on the program's behalf, too: one fault is said once."""
        self._session: Session | None = None
        self._thread = ThreadAffinity()
        self._turn = Turn(self.guard, self._thread)
        self._run_warnings = RunWarnings()
        self.clock = StepClock()
        is_followed = config.whole_run and config.address is None
        self._whole_run = WholeRun(self.clock, config.logdir if is_followed else None)
        self.is_explained = False
        """Whether a line of its own has said why there is no window."""
        self.no_step = "step() was never called"
        """What to say where no step was taken; another for who takes them in the program's name."""
        self.steps_taken = 0
        """The steps of this process, and those before the checkpoint that it went on from."""
        self._given = StepCount()
        self._is_step_over = False
        self.next_event = 1
        """The number of steps after which `after_step` must be called."""
        self.in_phase = False
        """Whether what happens now belongs to no step."""
        self._phase = "training"
        self._origin = 0
        """The steps of an earlier process, whose checkpoint this one goes on from."""
        self._is_paused = False
        self._end = ProcessEnd(self._close_at_exit)
        self._begun = False
        self._closed = False
        if self._is_refused():
            return
        self.guard.run(watch_profilers)
        if config.memory:
            self.guard.run(watch_optimizers)

    def _is_refused(self) -> bool:
        """Whether nothing is done. Preflight stays silent: the real run has logged the reason."""
        problem = None if is_predicted() else old_torch_problem()
        if problem is not None:
            logger.warning("Nothing is recorded: %s", problem)
        if problem is not None or is_predicted():
            self._closed, self.next_event = True, NEVER
        return self._closed

    def begin(self) -> None:
        """Whatever comes first: entering the `with`, or the end of the first step."""
        self._turn.run("TrainerHook", partial(self._begin, self.steps_taken))

    def pause(self) -> None:
        """No step follows for now."""
        self._turn.run("pause()", self._pause)

    def resume(self, given: int | None) -> None:
        """A training begins, which has taken so many steps by its own count."""
        self._turn.run("resume()", partial(self._resume, given))

    def goes_on_to(self, given: object) -> bool:
        """Take the training's own count; False where no step is over that can be timed."""
        if type(given) is int:
            count = self._given
            # Only while something is recorded it matters how often the same count comes again.
            if given == count.latest and self.next_event > self.steps_taken + 1:
                return False
            if self.steps_taken < given + count.ahead < NEVER:
                count.latest = given
                self.steps_taken = given + count.ahead
                return True
        self._is_step_over = False
        self.guard.run(self._take_count, given)
        return self._is_step_over

    def after_step(self, duration_ns: int) -> None:
        """Do what is due after a step that took so long."""
        # Of a training's first step nobody saw the beginning.
        is_whole = self._begun and not self._is_paused
        self.clock.end_apart(duration_ns, is_outside=is_whole and not self._is_watching)
        self._turn.run("step()", partial(self._after_step, duration_ns), is_step=True)
        self.clock.restart()

    def begin_phase(self, name: str) -> None:
        """Something begins that is no training step."""
        if name == INFERENCE:
            self._turn.run("phase()", partial(self._set_phase, name))
            return
        self.clock.note(name)
        self.in_phase = True
        if self._session is not None:
            self._turn.run("phase()", partial(self._session.leave_out, name))

    def end_phase(self, name: str, *, outer: bool) -> None:
        """It is over; `outer` is what `in_phase` was before it."""
        if name == INFERENCE:
            self._turn.run("phase()", partial(self._set_phase, "training"))
        else:
            self.clock.note(None)
        self.in_phase = outer
        if self._session is not None and not outer:
            self._turn.run("phase()", partial(self._session.leave_out, None))
        self.clock.restart()

    def look_at(self, error: BaseException) -> None:
        """The program leaves on this; where memory ran out, leave what is known of that."""
        self._whole_run.has_failed = True
        if not self._closed:
            self.guard.run(explain_out_of_memory, error, self.config, self.steps_taken)

    def close(self, wait_s: float) -> None:
        """End the profiling, and wait at most so long until the windows are published."""
        leave_waiting()
        if self._closed:
            # What came while the first call took them out may have left them.
            self.guard.run(leave_optimizers)
        else:
            self._turn.run("close()", partial(self._close, wait_s), wait_s=_LONGEST_WAIT_S)

    def _close_at_exit(self) -> None:
        error = uncaught_error()
        if error is not None:
            self.look_at(error)
        if self._session is not None and self._session.belongs_elsewhere:
            self.guard.run(self._session.abandon)
        # Whoever is at work in another thread does not come to an end any more.
        self.guard.run(self._close, 5.0)

    def _close(self, wait_s: float) -> None:
        if self._closed:
            return
        if self._session is not None and self._session.belongs_elsewhere:
            if self._thread.is_alive:
                self._thread.say_elsewhere("close()")
                return
            # What it recorded is out of reach, and nobody else ends it.
            self._session.abandon()
        is_over = False
        try:
            self._closed = True
            self._run_warnings.listen()
            self.next_event = NEVER
            self._end.forget()
            self._turn.end()
            self.guard.run(self._stop)
            is_over = True
            self.guard.run(self._take_leave, wait_s)
        finally:
            if not is_over and self._session is not None:
                # A handler of the program has raised in between, such as that of Ctrl-C.
                self.guard.run(self._session.abandon)
            self.guard.run(leave_optimizers)
            self.guard.run(self._leave)
            self.guard.run(self._run_warnings.keep, self.config)

    def _begin(self, origin: int) -> None:
        if self._begun or self._closed or self._is_refused():
            return
        self._begun = True
        self._run_warnings.listen()
        self._origin = origin
        self._end.await_it()
        self._whole_run.begin()
        self._look_ahead()

    def _look_ahead(self) -> None:
        """A step begins that may be the first of a window."""
        first = min(self.config.first_start, FIRST_LOOK_STEPS)
        self.next_event = max(first, self.steps_taken)
        if self._session is not None or self.next_event == self.steps_taken:
            self.next_event = self._opened_session().go_on(self.steps_taken)
        self.clock.restart()

    def _pause(self) -> None:
        if not self._begun or self._closed or self.guard.fault is not None:
            return
        self._is_paused = True
        self.clock.note(OUTSIDE)
        if self._session is not None:
            self._session.pause(self.steps_taken)
        self.next_event = min(self.next_event, self.steps_taken + 1)

    def _resume(self, given: int | None) -> None:
        # A training that ended on an exception did not pause.
        self._pause()
        if given is not None:
            self._given.begin_at(given, self.steps_taken)
            self.steps_taken = max(self.steps_taken, given)
        if not self._begun:
            self._begin(self.steps_taken)
        elif self._is_paused:
            self._is_paused = False
            self._look_ahead()

    def _after_step(self, duration_ns: int) -> None:
        if not self._closed:
            self._do_what_is_due(duration_ns)
            self._turn.watch_backward(is_watching=self._is_watching)

    @property
    def _is_watching(self) -> bool:
        return self._session is not None and self._session.is_watching

    def _do_what_is_due(self, duration_ns: int) -> None:
        if not self._begun:
            # Nobody saw when this step began, so that its time is none.
            self._begin(max(0, self.steps_taken - 1))
            return
        if self._is_paused:
            self._is_paused = False
            self._look_ahead()
            return
        if self._session is None and self.steps_taken > self.next_event:
            self._origin = self.steps_taken - 1
        session = self._opened_session()
        next_event = session.after_step(self.steps_taken, duration_ns)
        self._whole_run.after_step(session.worker, session.rank, self.steps_taken)
        self.next_event = min(next_event, self.steps_taken + LOOK_STEPS)

    def _opened_session(self) -> Session:
        if self._session is None:
            disarm_in_forked_children(self._disarm)
            self._thread.take()
            self._session = Session(self.config, self.clock, self._origin, self._thread)
            self._session.phase = self._phase
        return self._session

    def _take_count(self, given: object) -> None:
        change = self._given.read(given, self.steps_taken)
        if change is CountChange.NEXT:
            self.steps_taken = max(self.steps_taken + 1, self._given.latest + self._given.ahead)
            self._is_step_over = True
        elif change is CountChange.BACK:
            self.steps_taken += 1
            self._interrupt(is_step_over=True)
        elif change is CountChange.STUCK and self._session is not None and self._session.is_watching:
            self._given.say_stuck()
            self._interrupt(is_step_over=False)

    def _interrupt(self, *, is_step_over: bool) -> None:
        """End what is being recorded; the step that is over is none of those outside windows."""
        if self._session is not None:
            interrupt = partial(self._session.interrupt, self.steps_taken, is_step_over=is_step_over)
            self._turn.run("step()", interrupt)
            self.next_event = min(self.next_event, self.steps_taken + 1)
        self.clock.restart()

    def _set_phase(self, name: str) -> None:
        self._phase = name
        if self._session is not None:
            self._session.phase = name

    def _stop(self) -> None:
        if self._session is not None:
            self._session.stop(self.steps_taken)
            self._whole_run.end(self._session.worker, self._session.rank, self.steps_taken)
        else:
            self._whole_run.forget()

    def _take_leave(self, wait_s: float) -> None:
        if self._session is not None:
            self._session.publisher.wait(wait_s)
        is_explained = self.is_explained or self.guard.fault is not None
        steps = self.steps_taken - self._origin
        log_run_summary(self.config, self._session, steps, no_step=self.no_step, is_explained=is_explained)

    def _leave(self) -> None:
        if self._session is not None:
            self._session.leave()

    def _end_profiling(self) -> None:
        """After a fault: the training goes on without us."""
        self.next_event = NEVER
        if self._session is not None and in_backward():
            self._turn.run("step()", self._session.abandon)
        elif self._session is not None:
            self._session.abandon()

    def _disarm(self) -> None:
        """In a forked child: the window, the spool and the publishing belong to the parent."""
        self.next_event = NEVER
        self._closed = True
        self._turn.end()
        self._whole_run.forget()
        if self._session is not None:
            self._session.forget()
