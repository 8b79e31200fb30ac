"""Traces that have no report yet, read one after the other in a process of their own.

A trace that several people ask for is read once. The death of the process costs the trace that
it was reading.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tbprof.errors import Busy, Gone, ReadingEnded, TbprofError
from tbprof.model import Report
from tbprof.process.messages import Question
from tbprof.process.worker import Worker
from tbprof.records import dataclass
from tbprof.store.codec import decode_report

__all__ = ["MAX_WAITING", "WORKER", "Analyses", "Failed", "Reading", "State"]

WORKER = "tbprof.plugin.worker.main"
"""Never imported here: it holds what reads and analyzes traces."""

MAX_WAITING = 64
"""Traces that may wait to be read; one more is refused."""

_RETRY_AFTER_S = 10.0
"""A process that died may have been short of memory for a moment only."""

_KEPT = 32
"""Finished reports, and failures, that are remembered."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A trace that waits, or is being read."""

    read_bytes: int
    total_bytes: int
    since: float
    """`time.monotonic()` of the first request."""


@dataclass(frozen=True, slots=True)
class Failed:
    sentence: str
    retry_at: float = float("inf")
    """`time.monotonic()` from which on another try may do better."""


State: TypeAlias = Reading | Failed | Report
_Key: TypeAlias = tuple[str, int, int]
"""Path, size and time of the last change: a file that changed is read again."""


class Analyses:
    """The queue, and what became of it; all methods may be called from any thread."""

    def __init__(self) -> None:
        # An answer may be there at once, and is taken with the lock held then.
        self._lock = threading.RLock()
        self._waiting: OrderedDict[_Key, Reading] = OrderedDict()
        self._finished: OrderedDict[_Key, Report | Failed] = OrderedDict()
        self._worker = Worker(WORKER, self._note_progress)

    @property
    def pid(self) -> int | None:
        """The number of the process that reads; None where none runs."""
        return self._worker.pid

    def ask(self, path: str) -> tuple[State, int]:
        """The state of a trace, which is queued if it is new; and how many are before it.

        Raises:
            Gone: The trace is not there.
            Busy: The queue is full.
        """
        key = _key(path)
        with self._lock:
            known = self._finished.get(key)
            if known is not None and not _is_outdated(known):
                self._finished.move_to_end(key)
                return known, 0
            if key not in self._waiting:
                if len(self._waiting) >= MAX_WAITING:
                    raise Busy(f"{MAX_WAITING} traces are waiting to be read: try again in a minute")
                self._waiting[key] = Reading(0, key[1], time.monotonic())
                if len(self._waiting) == 1:
                    self._start_next()
            if key in self._finished and key not in self._waiting:
                return self._finished[key], 0
            return self._waiting[key], list(self._waiting).index(key)

    def close(self) -> None:
        """End the process that reads; what waits is forgotten."""
        with self._lock:
            for key in list(self._waiting)[1:]:
                del self._waiting[key]
        self._worker.close()

    def _start_next(self) -> None:
        """Hand the first that waits to the process. Called with the lock held."""
        while self._waiting:
            key = next(iter(self._waiting))
            try:
                answer = self._worker.ask(Question(key[0], "report", {}))
            except Busy as error:
                self._finish(key, _for_now(error))
            else:
                answer.add_done_callback(partial(self._take, key))
                return

    def _note_progress(self, read_bytes: int, total_bytes: int) -> None:
        with self._lock:
            for key, reading in list(self._waiting.items())[:1]:
                self._waiting[key] = Reading(read_bytes, total_bytes, reading.since)

    def _take(self, key: _Key, answer: Future[bytes]) -> None:
        with self._lock:
            self._finish(key, _result(key[0], answer))
            self._start_next()

    def _finish(self, key: _Key, result: Report | Failed) -> None:
        del self._waiting[key]
        self._finished[key] = result
        while len(self._finished) > _KEPT:
            self._finished.popitem(last=False)


def _is_outdated(known: Report | Failed) -> bool:
    return isinstance(known, Failed) and time.monotonic() >= known.retry_at


def _result(path: str, answer: Future[bytes]) -> Report | Failed:
    try:
        return decode_report(answer.result(), name=path)
    except ReadingEnded as error:
        return _for_now(error)
    except TbprofError as error:
        return Failed(str(error))


def _for_now(error: TbprofError) -> Failed:
    return Failed(str(error), time.monotonic() + _RETRY_AFTER_S)


def _key(path: str) -> _Key:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise Gone(f"{path} is gone or can't be read ({error.strerror})") from error
    return path, status.st_size, status.st_mtime_ns
