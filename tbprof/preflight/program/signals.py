"""Ctrl-C and SIGTERM end the program and not the report of what was found until then."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any


class Terminated(BaseException):
    """SIGTERM came."""


_BEFORE: list[tuple[int, Any, Any]] = []
"""Our handlers in this process: the signal's number, ours, and what stood there before."""


def handle(number: int, handler: Callable[..., Any]) -> Callable[[], None]:
    """Put a handler of ours in place, for this process and not its forks; what is returned undoes it."""
    place = (number, handler, signal.signal(number, handler))
    _BEFORE.append(place)
    return partial(_undo, place)


def _undo(place: tuple[int, Any, Any]) -> None:
    if place in _BEFORE:
        _BEFORE.remove(place)
        number, handler, before = place
        # A handler that the program has put there since stays.
        if signal.getsignal(number) == handler:
            signal.signal(number, before)


@contextmanager
def left_behind_by_a_fork() -> Iterator[None]:
    """Around a fork: the child has none of our handlers, and a SIGTERM that comes meanwhile waits.

    CPython forgets in a child, before any code of ours runs there, which signals a handler of Python has
    been told of: a child that is terminated at once would live on, and whoever joins it wait forever.
    """
    process = os.getpid()
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        if os.getpid() != process:
            for place in reversed(_BEFORE[:]):
                _undo(place)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


class Signals:
    """Which signal asked the program to end; a program may take it and end as if nothing had been."""

    def __init__(self) -> None:
        self.received = ""
        self.on_termination: Callable[[], None] | None = None
        """Called before SIGTERM ends the program, which may go on all the same."""
        self._is_over = False

    def hear(self, number: int, _frame: Any) -> None:
        """End the program by what Python would have raised, or would not have."""
        self.received = signal.Signals(number).name
        if number == signal.SIGTERM and self.on_termination is not None:
            self.on_termination()
        if not self._is_over:
            raise KeyboardInterrupt if number == signal.SIGINT else Terminated

    def only_note(self) -> None:
        """The program is over: raise nothing any more."""
        self._is_over = True


@contextmanager
def signals_heard() -> Iterator[Signals]:
    """Hear the two signals, SIGINT also where whoever started us ignores it, as shells do for `&`.

    A handler that somebody else has put in place stays.
    """
    signals = Signals()
    undos: list[Callable[[], None]] = []
    ours = ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL))
    for number, usual in ours:
        if signal.getsignal(number) in (usual, signal.SIG_DFL, signal.SIG_IGN):
            undos.append(handle(number, signals.hear))
    try:
        yield signals
    finally:
        for undo in undos:
            undo()
