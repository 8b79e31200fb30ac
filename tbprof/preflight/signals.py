"""Ctrl-C and SIGTERM end the program and not the report of what was found until then."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Signals", "Terminated", "signals_heard"]


class Terminated(BaseException):
    """SIGTERM came."""


class Signals:
    """Which signal asked the program to end; a program may take it and end as if nothing had been."""

    def __init__(self) -> None:
        self.received = ""
        self._process = os.getpid()

    def hear(self, number: int, _frame: Any) -> None:
        """End the program by what Python would have raised, or would not have."""
        if os.getpid() != self._process:
            # A forked child dies of it, as it would without us.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self.received = signal.Signals(number).name
        raise KeyboardInterrupt if number == signal.SIGINT else Terminated


@contextmanager
def signals_heard() -> Iterator[Signals]:
    """Hear the two signals, SIGINT also where whoever started us ignores it, as shells do for `&`.

    A handler that somebody else has put in place stays.
    """
    signals = Signals()
    before: dict[int, Any] = {}
    ours = ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL))
    for number, usual in ours:
        if signal.getsignal(number) in (usual, signal.SIG_DFL, signal.SIG_IGN):
            before[number] = signal.signal(number, signals.hear)
    try:
        yield signals
    finally:
        for heard, handler in before.items():
            signal.signal(heard, handler)
