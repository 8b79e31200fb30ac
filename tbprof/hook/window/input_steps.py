"""Two steps after a window, recorded with what operators are given: in no time, and in a file of their own.

Recording shapes makes a step slower, and so a window goes without them. A training's steps are alike, and so
the calls of these can be joined with those of the window; two of them tell what differs from step to step.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from tbprof.hook.safety.guard import let_through
from tbprof.hook.safety.other_profilers import OnlySession
from tbprof.hook.schedule import Schedule
from tbprof.hook.window.window import ProfiledWindow

logger = logging.getLogger("tbprof")

INPUT_STEPS = Schedule(skip_first=0, warmup=0, active=2)


class InputSteps:
    """Records the inputs of one window after the other; all calls but `discard` must come from one thread."""

    def __init__(self, make: Callable[[], ProfiledWindow] | None) -> None:
        """`make` gives what records `INPUT_STEPS`; None: nobody asked for them."""
        self._make = make
        self._session = OnlySession()
        self._recording: ProfiledWindow | None = None

    @property
    def are_recorded(self) -> bool:
        """Whether they are being recorded."""
        return self._recording is not None

    def begin(self) -> None:
        """The first of them begins, if they were asked for and torch's session is free."""
        if self._make is None or not self._session.take():
            return
        try:
            recording = self._make()
            recording.start()
        except Exception as error:  # noqa: BLE001 - what is optional ends nothing else
            let_through(error)
            self._lose(str(error))
        else:
            self._recording = recording

    def after_step(self) -> Path | None:
        """A step is over; the file, once they all are and it could be written."""
        recording = self._recording
        if recording is None:
            return None
        recording.advance()
        if not recording.is_over:
            return None
        self._end()
        if recording.trace is None:
            self._lose("another profiler began" if recording.taken_away else recording.why_lost)
        return recording.trace

    def abandon(self) -> None:
        """Keep nothing of them."""
        recording = self._recording
        if recording is not None:
            self._end()
            recording.abandon()

    def discard(self) -> None:
        """The same from another thread than their own, when the process is about to exit."""
        recording = self._recording
        if recording is not None:
            self._end()
            recording.discard()

    def forget(self) -> None:
        """In a forked child: they are its parent's."""
        recording = self._recording
        if recording is not None:
            self._end()
            recording.forget()

    def _end(self) -> None:
        self._recording = None
        self._session.give_back()

    def _lose(self, reason: str) -> None:
        self._session.give_back()
        logger.warning("What operators are given was not recorded after a window: %s", reason)
