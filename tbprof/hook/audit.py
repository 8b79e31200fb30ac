"""The audit step: one step after a window, in which the lines are recorded that no trace holds.

It comes after the profiler has stopped, so that recording costs neither a recorded step nor
the trace a row. A training's steps are alike, and so its calls can be joined by their order
with those of the steps before.
"""

from __future__ import annotations

import sys

from tbprof.hook.function_modes import enter_at_bottom, leave
from tbprof.hook.line_recorder import LineRecorder
from tbprof.hook.source_text import source_texts
from tbprof.hook.sync_warnings import SyncWarnings
from tbprof.model import Audit

__all__ = ["COMPILED", "FAULT", "NO_STEP", "AuditStep", "has_compiled_code", "no_audit"]

NO_STEP = "no_step"
COMPILED = "compiled"
FAULT = "fault"


class AuditStep:
    """Records from `start` to `finish`, which must be called on one thread."""

    def __init__(self, *, embed_source: bool) -> None:
        self._embed_source = embed_source
        self._recorder = LineRecorder()
        self._warnings = SyncWarnings(self._recorder.note_sync)

    def start(self) -> None:
        enter_at_bottom(self._recorder)
        self._warnings.start()

    def pause(self, *, paused: bool) -> None:
        """Record nothing for a while."""
        self._recorder.is_on = not paused

    def finish(self) -> Audit:
        """Stop recording; what was seen, of a whole step."""
        self.leave()
        recorder = self._recorder
        if recorder.fault is not None:
            return no_audit(FAULT)
        return Audit(
            left_out="",
            calls=recorder.calls,
            order=tuple(recorder.order),
            dropped=recorder.dropped,
            sources=source_texts(recorder.places) if self._embed_source else (),
        )

    def leave(self) -> None:
        """Stop recording and keep nothing."""
        self.turn_off()
        leave(self._recorder)

    def turn_off(self) -> None:
        """Stop recording from another thread: the mode stays where it is, and lets everything pass."""
        self._recorder.is_on = False
        self._warnings.stop()


def no_audit(reason: str) -> Audit:
    """What stands for an audit step that was left out."""
    return Audit(left_out=reason, calls=(), order=(), dropped=0, sources=())


def has_compiled_code() -> bool:
    """Whether torch.compile has compiled anything: a function mode would make it compile all again."""
    # Only what is loaded is asked: importing the compiler takes seconds.
    dynamo = sys.modules.get("torch._dynamo.utils")
    return dynamo is not None and dynamo.counters["stats"]["unique_graphs"] > 0
