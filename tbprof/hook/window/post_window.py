"""What goes with a recorded window until it is published: its audit step, and the first ordinary steps."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from tbprof.hook.audit.audit import LONGEST_CYCLE, NO_STEP, Audited, AuditStep, no_audit
from tbprof.hook.hook_config import HookConfig
from tbprof.hook.memory.memory_step import MemoryRecorder, write_memory_step
from tbprof.hook.spool import TRACE_SUFFIX
from tbprof.hook.step_clock import KEPT_STEPS, StepClock
from tbprof.hook.window.input_steps import InputSteps
from tbprof.hook.window.window import RecordedWindow
from tbprof.model import HookFacts

logger = logging.getLogger("tbprof")

SETTLE_STEPS = 5
"""Steps after the audit step by which the steps after a window are judged, before it is published."""

ENOUGH_STEPS = 50
"""Before it is said that steps have become longer; those beside which a window is published don't count."""

SLOWER = 1.1
"""The ratio from which steps have become longer; less is the noise of a median of few."""


class PostWindow:
    """Knows the latest window, and gives it to `publish` when there is no more to be known of it."""

    def __init__(
        self, config: HookConfig, clock: StepClock, publish: Callable[[Path], None], inputs: InputSteps
    ) -> None:
        self._config = config
        self._clock = clock
        self._publish = publish
        self._inputs = inputs
        self._memory = MemoryRecorder(is_wanted=config.follows_memory_behind_windows)
        self._window: RecordedWindow | None = None
        self._audit: AuditStep | None = None
        self._early: Audited | None = None
        self._settles_from = 0
        self._left_out = 0
        """The number of the clock's steps when it was settled from there."""
        self._last: HookFacts | None = None

    @property
    def is_auditing(self) -> bool:
        """Whether lines, inputs or memory are being recorded, which makes the step slower."""
        has_memory = self._memory.is_recording or self._memory.is_waiting
        return self._audit is not None or self._inputs.are_recorded or has_memory

    @property
    def due(self) -> int | None:
        """The steps after which the window has settled; None where none waits for that."""
        return None if self._window is None else self._settles_from + SETTLE_STEPS

    def begin_early(self) -> None:
        """The first step of a window's warm-up, which is in no figure, begins.

        Its lines are kept for a training that ends with the window, and so has no step left.
        """
        self._early = None
        if self._config.record_lines:
            self._begin_audit()

    def end_early(self) -> None:
        """End the step that is over."""
        if self._audit is not None:
            self._audit.wants_another_step()
            self._early = self._finish_audit(self._audit)

    def begin(self, window: RecordedWindow, steps_taken: int, *, is_last_step_over: bool) -> None:
        """A window has been written; unless the training is over, a step begins."""
        self._window = window
        self._settle_from(steps_taken)
        if not self._config.record_lines:
            if not is_last_step_over:
                self._begin_inputs(steps_taken)
        elif is_last_step_over:
            window.add_audit(self._early or no_audit(NO_STEP))
        else:
            self._begin_audit(LONGEST_CYCLE if self._clock.has_long_steps else 1)

    def after_step(self, steps_taken: int) -> None:
        """A step is over: end what it was for."""
        if self._audit is not None:
            if self._audit.wants_another_step():
                return
            audited = self._finish_audit(self._audit)
            if self._window is not None:
                self._window.add_audit(audited)
                self._begin_inputs(steps_taken)
            self._settle_from(steps_taken)
        elif self._inputs.are_recorded:
            recording = self._inputs.after_step()
            if recording is not None and self._window is not None:
                self._window.add_inputs(recording)
            self._begin_memory_step(steps_taken)
            self._settle_from(steps_taken)
        elif self._memory.is_recording:
            self._end_memory_step()
            self._settle_from(steps_taken)
        elif self._memory.is_waiting:
            self._begin_memory_step(steps_taken)
            self._settle_from(steps_taken)
        elif self.due is not None and steps_taken >= self.due:
            self.end(steps_taken)

    @property
    def has_window(self) -> bool:
        """Whether a window waits for what is to be known of it, or of the steps after it."""
        return self._window is not None

    def end(self, steps_taken: int) -> None:
        """Publish the window with what is known by now."""
        window, self._window = self._window, None
        audit = self._audit
        self._inputs.abandon()
        self._memory.abandon()
        if audit is not None:
            # What came after the last step is no step: its lines would be joined wrongly.
            audited = audit.finish() if audit.has_seen_a_step else self._early
            self._leave_audit()
        if window is None:
            return
        if audit is not None:
            window.add_audit(audited or no_audit(NO_STEP))
        else:
            after_ns = self._clock.median_of_latest(self._ordinary_steps(steps_taken))
            if after_ns is not None:
                window.add_after(after_ns)
        self._last = window.facts
        self._publish(window.trace)

    def pause_audit(self, *, paused: bool) -> None:
        """Leave out the lines of what belongs to no step."""
        if self._audit is not None:
            self._audit.pause(paused=paused)
        if paused:
            self._inputs.abandon()
            self._memory.abandon()

    def abandon(self, *, is_own_thread: bool) -> None:
        """Keep what was written and nothing else; another thread's audit step is only turned off."""
        if self._audit is not None:
            self._audit.leave() if is_own_thread else self._audit.turn_off()
        self._inputs.abandon() if is_own_thread else self._inputs.discard()
        self._memory.abandon()
        window, self._window, self._audit = self._window, None, None
        if window is not None:
            self._publish(window.trace)

    def forget(self) -> None:
        """In a forked child: the window is its parent's."""
        if self._audit is not None:
            # Of all threads the child has the one that forked.
            self._audit.leave()
        self._inputs.forget()
        self._memory.abandon()
        self._window = self._audit = None

    def say_if_slower(self, steps_taken: int) -> None:
        """Log it where steps have not become again what they were before the latest window."""
        ordinary = self._ordinary_steps(steps_taken)
        after_ns = self._clock.median_of_latest(min(ordinary, KEPT_STEPS))
        facts = self._last
        if ordinary < ENOUGH_STEPS or facts is None or after_ns is None or not _is_slower(after_ns, facts):
            return
        cupti = "CUPTI may still be at work (TEARDOWN_CUPTI=1 makes it leave), or the training has changed."
        others = "the training has changed, or the machine has other work."
        logger.warning(
            "Steps take %.1f ms since window %d, and took %.1f ms before it: %s",
            after_ns / 1e6,
            facts.window,
            (facts.unprofiled_step_ns or 0) / 1e6,
            cupti if facts.device_recorder == "CUPTI" else others,
        )

    def _settle_from(self, steps_taken: int) -> None:
        self._settles_from, self._left_out = steps_taken, self._clock.left_out

    def _ordinary_steps(self, steps_taken: int) -> int:
        """The steps after the latest window that say how long a step takes."""
        return steps_taken - self._settles_from - (self._clock.left_out - self._left_out)

    def _begin_inputs(self, steps_taken: int) -> None:
        """What was asked for besides lines: one after the other, as each slows the step that it records."""
        self._inputs.begin()
        self._begin_memory_step(steps_taken)

    def _begin_memory_step(self, steps_taken: int) -> None:
        if not self._inputs.are_recorded:
            self._memory.begin(steps_taken)

    def _end_memory_step(self) -> None:
        window = self._window
        name = "" if window is None else window.trace.name.removesuffix(TRACE_SUFFIX)
        found = self._memory.after_step(name.rpartition(".")[0])
        if found is None or window is None:
            return
        try:
            write_memory_step(
                found, self._config.logdir, name, self._config.keep_windows, self._memory.snapshot
            )
        except OSError as error:
            logger.warning("Window %d lacks what held memory: %s", window.facts.window, error)

    def _begin_audit(self, steps: int = 1) -> None:
        self._leave_audit()
        self._audit = AuditStep(
            embed_source=self._config.embed_source, sync_callbacks=self._config.sync_callbacks, steps=steps
        )
        self._audit.start()

    def _finish_audit(self, audit: AuditStep) -> Audited:
        """What it saw. Where the program raises meanwhile, whatever is called next leaves it."""
        audited = audit.finish()
        self._audit = None
        return audited

    def _leave_audit(self) -> None:
        if self._audit is not None:
            self._audit.leave()
        self._audit = None


def _is_slower(after_ns: int, facts: HookFacts) -> bool:
    before_ns, quartiles_ns = facts.unprofiled_step_ns, facts.unprofiled_quartiles_ns
    return bool(before_ns and quartiles_ns) and after_ns > max(SLOWER * (before_ns or 0), quartiles_ns[-1])
