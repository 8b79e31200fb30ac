"""The audit step: one step after a window, in which the lines are recorded that no trace holds.

It comes after the profiler has stopped, so that recording costs neither a recorded step nor
the trace a row. A training's steps are alike, and so its calls can be joined by their order
with those of the steps before. Where it uploads little pieces, the step behind it tells
whether these are the same bytes again.
"""

from __future__ import annotations

import sys

from tbprof.hook.call_log import CallLog
from tbprof.hook.construction_watch import ConstructionWatch
from tbprof.hook.function_modes import enter_at_bottom, leave
from tbprof.hook.line_recorder import LineRecorder
from tbprof.hook.source_text import source_texts
from tbprof.hook.sync_callbacks import SyncCallbacks
from tbprof.hook.sync_warnings import SyncWarnings
from tbprof.model import Audit

__all__ = ["COMPILED", "FAULT", "NO_STEP", "AuditStep", "has_compiled_code", "no_audit"]

NO_STEP = "no_step"
COMPILED = "compiled"
FAULT = "fault"


class AuditStep:
    """Records from `start` to `finish`, which must be called on one thread."""

    def __init__(self, *, embed_source: bool, sync_callbacks: bool = False) -> None:
        self._embed_source = embed_source
        self._recorder = LineRecorder()
        self._whole: CallLog | None = None
        self._constructions = ConstructionWatch()
        self._waits: SyncWarnings | SyncCallbacks = (
            SyncCallbacks(self._recorder.note_sync)
            if sync_callbacks
            else SyncWarnings(self._recorder.note_sync)
        )

    def start(self) -> None:
        enter_at_bottom(self._recorder)
        self._constructions.start()
        self._waits.start()

    def pause(self, *, paused: bool) -> None:
        """Record nothing for a while."""
        self._recorder.is_on = self._constructions.is_on = not paused

    def wants_another_step(self) -> bool:
        """At the end of a step: whether another one tells more, which then has begun."""
        contents = self._recorder.log.contents
        self._whole = self._recorder.log
        if self._recorder.fault is not None:
            return False
        if self._recorder.looks_again():
            self._constructions.stop()
            return True
        if not contents.wants_second_step:
            return False
        contents.begin_second_step()
        self._constructions.stop()
        self._waits.stop()
        return True

    @property
    def has_seen_a_step(self) -> bool:
        """Whether a whole step is over, and this one only tells more of it."""
        return self._whole is not None

    def finish(self) -> Audit:
        """Stop recording; what was seen, of the latest whole step."""
        self.leave()
        recorder = self._recorder
        log = self._whole or recorder.log
        if recorder.fault is not None:
            return no_audit(FAULT)
        return Audit(
            left_out="",
            calls=log.calls,
            order=tuple(log.order),
            dropped=log.dropped,
            sources=source_texts(log.places) if self._embed_source else (),
            constructions=self._constructions.constructions,
            backward_calls=recorder.backward_calls,
        )

    def leave(self) -> None:
        """Stop recording and keep nothing."""
        self.turn_off()
        leave(self._recorder)

    def turn_off(self) -> None:
        """Stop recording from another thread: the mode stays where it is, and lets everything pass."""
        self._recorder.is_on = False
        self._constructions.stop()
        self._waits.stop()


def no_audit(reason: str) -> Audit:
    """What stands for an audit step that was left out."""
    return Audit(left_out=reason, calls=(), order=(), dropped=0, sources=())


def has_compiled_code() -> bool:
    """Whether torch.compile has compiled anything: a function mode would make it compile all again."""
    # Only what is loaded is asked: importing the compiler takes seconds.
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo is not None and dynamo.counters["stats"]["unique_graphs"] > 0
