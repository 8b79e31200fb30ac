"""Runs a module beside a program that must not notice: at the lowest priority, in a session of its own.

`python -m tbprof.process.beside PIPE,... MODULE ARGUMENT...`: PIPE is the descriptor to which the exit code
is written, for whoever cannot wait for this process since it is none of its children. It and those after it
stay open; all others are the program's, whose ports and pipes end with it.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import errno
import os
import runpy
import signal
import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from tbprof.errors import TbprofError
from tbprof.process.detached import CODE_MARK

_LOWEST_PRIORITY = 19
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30}
"""The number of that call of Linux, which its C library does not have."""
_IDLE_IO = 3 << 13
_THIS_PROCESS = 1
_DESCRIPTORS = "/proc/self/fd" if sys.platform == "linux" else "/dev/fd"
_STANDARD_ERROR = 2


def main() -> None:
    given, module, *arguments = sys.argv[1:]
    pipe, *held = map(int, given.split(","))
    _stand_apart()
    _close_others({pipe, *held})
    take_lowest_priority()
    ending = _Ending(pipe)
    sys.argv[1:] = arguments
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        ending.code = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise
    except BaseException:
        ending.code = 1
        raise


def take_lowest_priority() -> None:
    """Leave processor and disk to whoever wants them; what a system does not have is left out.

    Not SCHED_IDLE: where all cores are busy it gets a fifth of what the lowest niceness does, and a window
    would not be published before its deadline.
    """
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_LOWEST_PRIORITY)
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, AttributeError, KeyError):
        import ctypes

        number = _IOPRIO_SET[os.uname().machine]
        ctypes.CDLL(None).syscall(number, _THIS_PROCESS, 0, _IDLE_IO)


class _Ending:
    """Says the exit code when all else is over."""

    def __init__(self, pipe: int) -> None:
        os.set_inheritable(pipe, False)
        self.code = 0
        self._pipe = pipe
        atexit.register(self._say)

    def _say(self) -> None:
        # Who started us may have ended.
        with contextlib.suppress(OSError):
            os.write(self._pipe, CODE_MARK + b"%d\n" % self.code)


def _stand_apart() -> None:
    """What the shell, and who started it, had with signals is not ours."""
    with contextlib.suppress(OSError):
        os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGQUIT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _close_others(kept: set[int]) -> None:
    with contextlib.suppress(OSError):
        for number in map(int, os.listdir(_DESCRIPTORS)):  # noqa: PTH208 - imports little
            if number > _STANDARD_ERROR and number not in kept:
                # The one by which they were listed is closed already.
                with contextlib.suppress(OSError):
                    os.close(number)


T = TypeVar("T")


class BoundedCalls:
    """One call after the other; while one has not returned, no other is made, and nobody waits."""

    def __init__(self) -> None:
        self._late: _Call[Any] | None = None

    def call(self, wait_s: float, act: Callable[[], T]) -> T:
        """What it gives, made by another thread; in Python's own end by this one, which waits for it.

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
            if "interpreter shutdown" in str(error):
                # Python 3.12 begins no thread any more where a process ends: nobody else could make it.
                return act()
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
        error, self._error = self._error, None
        try:
            raise error or OSError(errno.EIO, "it failed")
        finally:
            # Its traceback has this frame, and so those of the program that wait for it, with all they hold.
            del error


def _no_answer() -> TimeoutError:
    return TimeoutError(errno.ETIMEDOUT, "there is no answer")


if __name__ == "__main__":
    main()
