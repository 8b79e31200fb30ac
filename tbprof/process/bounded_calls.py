"""Calls that may hang, as into a file system whose server is away: who makes them waits only so long."""

from __future__ import annotations

import _thread
import errno
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from tbprof.errors import TbprofError

T = TypeVar("T")


class BoundedCalls:
    """One call after the other; while one has not returned, no other is made, and nobody waits."""

    def __init__(self) -> None:
        self._late: _Call[Any] | None = None

    def call(self, wait_s: float, act: Callable[[], T]) -> T:
        """What it gives, made by another thread.

        Raises:
            TimeoutError: It has not returned within so many seconds, or an earlier one has not. It goes on.
            OSError: It raises one, or there is no thread for it.
            TbprofError: It raises one.
        """
        if self._late is not None and not self._late.is_over:
            raise _no_answer()
        made = _Call(act)
        try:
            # One of `threading` would be known to the program: counted, traced, and joined at its end.
            _thread.start_new_thread(made.run, ())
        except RuntimeError as error:
            raise OSError(errno.EAGAIN, str(error)) from error
        if not made.has_ended(wait_s):
            self._late = made
            raise _no_answer()
        return made.outcome()


def within(wait_s: float, act: Callable[[], T]) -> T:
    """What one such call gives.

    Raises:
        OSError: as there.
        TbprofError: as there.
    """
    return BoundedCalls().call(wait_s, act)


class _Call(Generic[T]):
    def __init__(self, act: Callable[[], T]) -> None:
        self._act = act
        self._under_way = _thread.allocate_lock()
        self._under_way.acquire()
        self._given: list[T] = []
        self._error: OSError | TbprofError | None = None

    @property
    def is_over(self) -> bool:
        return not self._under_way.locked()

    def run(self) -> None:
        try:
            self._given.append(self._act())
        except (OSError, TbprofError) as error:
            self._error = error
        finally:
            self._under_way.release()

    def has_ended(self, wait_s: float) -> bool:
        return self._under_way.acquire(timeout=max(wait_s, 0.0))

    def outcome(self) -> T:
        if self._given:
            return self._given[0]
        raise self._error or OSError(errno.EIO, "it failed")


def _no_answer() -> TimeoutError:
    return TimeoutError(errno.ETIMEDOUT, "there is no answer")
