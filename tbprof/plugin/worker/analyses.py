"""Traces that have no report yet, read one after the other in a process of their own.

A trace that several people ask for is read once, small ones before large ones, and one that nobody asks for
any more is not. The death of the process costs the trace that it was reading, as does a deadline.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from tbprof.errors import Busy, Gone, ReadingEnded, ReadingTookTooLong, TbprofError
from tbprof.model import Report
from tbprof.process.messages import Question
from tbprof.process.worker import DEADLINE_S, Worker
from tbprof.records import dataclass
from tbprof.store.codec import decode_report

__all__ = ["MAX_WAITING", "WORKER", "Analyses", "Failed", "Reading", "State", "deadline_s"]

WORKER = "tbprof.plugin.worker.main"
"""Never imported here: it holds what reads and analyzes traces."""

MAX_WAITING = 64
"""Traces that may wait to be read; one more is refused."""

_RETRY_AFTER_S = 10.0
"""A process that died may have been short of memory for a moment only."""

_RETRY_SLOW_AFTER_S = 600.0
"""A file system may answer later; a trace that is too much would hold up all others again."""

_KEPT = 32
"""Finished reports that are remembered: some MB each."""

_KEPT_FAILURES = 10_000
"""Sentences: were they forgotten, a run of broken traces would be read for ever."""

_FIRST_IN_LINE_AFTER_S = 60.0
"""Small traces are read first; one that has waited for so long is not overtaken any more."""

_ABANDONED_AFTER_S = 150.0
"""A tab asks every second while it is seen, and browsers let one in the background ask once a minute."""


T = TypeVar("T")


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
_Key: TypeAlias = tuple[str, int, int, int]
"""Path, size and times of the last change: of the content, which anybody can set, and of the file."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    reading: Reading
    asked_at: float
    """`time.monotonic()` of the last request."""


class Analyses:
    """The queue, and what became of it; all methods may be called from any thread."""

    def __init__(self) -> None:
        # An answer may be there at once, and is taken with the lock held then.
        self._lock = threading.RLock()
        self._current: _Key | None = None
        """The one of those that wait that is being read."""
        self._waiting: dict[_Key, _Waiting] = {}
        self._reports: OrderedDict[_Key, Report] = OrderedDict()
        self._failures: OrderedDict[_Key, Failed] = OrderedDict()
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
        key, now = _key(path), time.monotonic()
        with self._lock:
            if key not in self._waiting and self._known(key, now) is None:
                self._queue(key, now)
            known = None if key in self._waiting else self._known(key, now)
            if known is not None:
                return known, 0
            reading = self._waiting[key].reading
            self._waiting[key] = _Waiting(reading, now)
            return reading, self._ahead_of(key, now)

    def close(self) -> None:
        """End the process that reads; what waits is forgotten."""
        with self._lock:
            self._waiting = {key: waiting for key, waiting in self._waiting.items() if key == self._current}
        self._worker.close()

    def _queue(self, key: _Key, now: float) -> None:
        self._forget_abandoned(now)
        if len(self._waiting) >= MAX_WAITING:
            raise Busy(f"{MAX_WAITING} traces are waiting to be read: try again in a minute")
        self._waiting[key] = _Waiting(Reading(0, key[1], now), now)
        if self._current is None:
            self._start_next()

    def _known(self, key: _Key, now: float) -> Report | Failed | None:
        if key in self._reports:
            self._reports.move_to_end(key)
            return self._reports[key]
        failed = self._failures.get(key)
        return failed if failed is not None and now < failed.retry_at else None

    def _forget_abandoned(self, now: float) -> None:
        for key, waiting in list(self._waiting.items()):
            if key != self._current and now - waiting.asked_at > _ABANDONED_AFTER_S:
                del self._waiting[key]

    def _ahead_of(self, key: _Key, now: float) -> int:
        place = self._place(key, now)
        return sum(self._place(other, now) < place for other in self._waiting)

    def _place(self, key: _Key, now: float) -> tuple[int, float]:
        """Whatever has a lower one is read earlier."""
        if key == self._current:
            return 0, 0.0
        since = self._waiting[key].reading.since
        return (1, since) if now - since > _FIRST_IN_LINE_AFTER_S else (2, float(key[1]))

    def _start_next(self) -> None:
        """Hand the next one that waits to the process. Called with the lock held."""
        now = time.monotonic()
        self._current = None
        self._forget_abandoned(now)
        while self._waiting:
            key = min(self._waiting, key=lambda one: self._place(one, now))
            self._current = key
            try:
                answer = self._worker.ask(Question(key[0], "report", {}), deadline_s=deadline_s(key[1]))
            except Busy as error:
                self._finish(key, Failed(str(error), now + _RETRY_AFTER_S))
            else:
                answer.add_done_callback(partial(self._take, key))
                return

    def _note_progress(self, read_bytes: int, total_bytes: int) -> None:
        with self._lock:
            if self._current in self._waiting:
                waiting = self._waiting[self._current]
                reading = Reading(read_bytes, total_bytes, waiting.reading.since)
                self._waiting[self._current] = _Waiting(reading, waiting.asked_at)

    def _take(self, key: _Key, answer: Future[bytes]) -> None:
        with self._lock:
            self._finish(key, _result(key[0], answer))
            self._start_next()

    def _finish(self, key: _Key, result: Report | Failed) -> None:
        self._current = None
        del self._waiting[key]
        if isinstance(result, Failed):
            _keep(self._failures, key, result, _KEPT_FAILURES)
        else:
            _keep(self._reports, key, result, _KEPT)


def deadline_s(size_bytes: int) -> float:
    """For reading a trace of so many bytes on a machine that does much else."""
    return DEADLINE_S + size_bytes / 1e6


def _keep(kept: OrderedDict[_Key, T], key: _Key, result: T, most: int) -> None:
    kept[key] = result
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _result(path: str, answer: Future[bytes]) -> Report | Failed:
    try:
        return decode_report(answer.result(), name=path)
    except (ReadingEnded, Busy) as error:
        return Failed(str(error), time.monotonic() + _RETRY_AFTER_S)
    except ReadingTookTooLong as error:
        return Failed(str(error), time.monotonic() + _RETRY_SLOW_AFTER_S)
    except TbprofError as error:
        return Failed(str(error))


def _key(path: str) -> _Key:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise Gone(f"{path} is gone or can't be read ({error.strerror})") from error
    return path, status.st_size, status.st_mtime_ns, status.st_ctime_ns
