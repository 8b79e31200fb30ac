"""The border between tbprof and the training that it watches: no fault of ours crosses it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import ParamSpec

from tbprof.hook.safety.program_errors import belongs_to_program, let_through

logger = logging.getLogger("tbprof")

P = ParamSpec("P")


class Guard:
    """Runs the hook's own code; its first fault ends the profiling and never the training.

    `KeyboardInterrupt` and `SystemExit` belong to the training and pass, and so does what a signal handler of
    its own, or another of its threads, raises in it; that ends the profiling as well, since it interrupted us
    anywhere.
    """

    def __init__(self, end_profiling: Callable[[], None]) -> None:
        self.fault: Exception | None = None
        """The first exception that ended the profiling."""
        self._end_profiling = end_profiling

    def run(self, action: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call `action`; an `Exception` of its own stays here."""
        try:
            action(*args, **kwargs)
        except Exception as fault:
            if belongs_to_program(fault):
                self._end_for(fault)
                raise
            self.note(fault)

    def note(self, fault: Exception) -> None:
        """Log the first fault once, and end the profiling."""
        if self.fault is not None:
            _say(logging.DEBUG, "another fault after profiling had ended", fault)
            return
        self.fault = fault
        _say(logging.WARNING, f"Profiling ends here and the training goes on: {_reason(fault)}")
        _say(logging.DEBUG, "the fault that ended the profiling", fault)
        self._end()

    def _end_for(self, interruption: Exception) -> None:
        if self.fault is None:
            self.fault = interruption
            name = type(interruption).__name__
            _say(logging.WARNING, f"Profiling ends here: the program raised {name} meanwhile.")
            self._end()

    def _end(self) -> None:
        try:
            self._end_profiling()
        except Exception as second:  # noqa: BLE001 - and what follows from it
            let_through(second)
            _say(logging.DEBUG, "ending the profiling failed as well", second)


def _reason(fault: Exception) -> str:
    """The fault in a line; one without a text of its own says where it was raised."""
    name = type(fault).__name__
    with contextlib.suppress(Exception):
        if text := str(fault).strip():
            return f"{name}: {text}"
    raised = fault.__traceback__
    while raised is not None and raised.tb_next is not None:
        raised = raised.tb_next
    if raised is None:
        return name
    return f"{name} in {raised.tb_frame.f_code.co_filename}, line {raised.tb_lineno}"


def _say(level: int, text: str, fault: Exception | None = None) -> None:
    # The training's own log handlers may raise, and the border is the last that can keep it.
    with contextlib.suppress(Exception):
        logger.log(level, "%s", text, exc_info=fault)
