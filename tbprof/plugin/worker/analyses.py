"""Traces that have no report yet, read by two processes, and by a third the small ones beside large ones.

A trace that several people ask for is read once, small ones before large ones, and one that nobody asks for
any more is not. The rest of a run that somebody looks at is read to its end, behind all that is asked for
alone. The death of a process costs the trace that it was reading, as does a deadline.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tbprof.errors import Busy, Gone, ReadingEnded, ReadingTookTooLong, TbprofError
from tbprof.process.answering import Question
from tbprof.process.worker import DEADLINE_S, Worker
from tbprof.records import dataclass
from tbprof.safe_open import FileState, file_state

WORKER = "tbprof.plugin.worker.main"
"""Never imported here: it holds what reads and analyzes traces."""

WORKERS = 2
"""Processes that read at once: a server that others work on has more to do."""

SMALL_BYTES = 1_000_000
"""Of a trace's file: one that takes a second is not to wait until two that take many have been read."""

MAX_WAITING = 64
"""Traces that may wait while somebody looks; one more is refused."""

_RETRY_AFTER_S = 10.0
"""A process that died may have been short of memory for a moment only."""

_RETRY_SLOW_AFTER_S = 600.0
"""A file system may answer later; a trace that is too much would hold up all others again."""

_KEPT_BYTES = 64 * 1024 * 1024
"""Of finished reports as they are stored, a few kB each: those of a run of thousands of ranks."""

_KEPT_FAILURES = 10_000
"""Sentences: were they forgotten, a run of broken traces would be read for ever."""

_FIRST_IN_LINE_AFTER_S = 60.0
"""Small traces are read first; one that has waited for so long is not overtaken any more."""

_ABANDONED_AFTER_S = 150.0
"""A tab asks every second while it is seen, and browsers let one in the background ask once a minute."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A trace that waits, or is being read."""

    read_bytes: int
    total_bytes: int
    since: float
    """`time.monotonic()` of the first request."""


@dataclass(frozen=True, slots=True)
class Failed:
    error: TbprofError
    retry_at: float = float("inf")
    """`time.monotonic()` from which on another try may do better."""


State: TypeAlias = Reading | Failed | bytes
"""Bytes are the stored form of the report."""
_Key: TypeAlias = tuple[str, int, FileState]
"""Path and size, and the file as it is."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    reading: Reading
    asked_at: float
    """`time.monotonic()` of the last request."""


class Analyses:
    """The queue, and what became of it; all methods may be called from any thread."""

    def __init__(self, workers: int = WORKERS, *, for_small: int = 1) -> None:
        """Nothing is started yet; so many processes read at once, and so many more only what is small."""
        # An answer may be there at once, and is taken with the lock held then.
        self._lock = threading.RLock()
        self._current: dict[int, _Key] = {}
        """By the number of its process: those of them that wait that are being read."""
        self._waiting: dict[_Key, _Waiting] = {}
        self._later: OrderedDict[_Key, None] = OrderedDict()
        """The rest of runs, in the order in which it is read."""
        self._reports: OrderedDict[_Key, bytes] = OrderedDict()
        self._failures: OrderedDict[_Key, Failed] = OrderedDict()
        self._for_all = workers
        every = range(workers + for_small)
        self._workers = tuple(Worker(WORKER, partial(self._note_progress, at)) for at in every)

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of the processes that read; none where none runs."""
        return tuple(pid for worker in self._workers if (pid := worker.pid) is not None)

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

    def state_of(self, path: str) -> State | None:
        """The state of a trace; None where it was never asked for, or may be read again.

        Raises:
            Gone: The trace is not there.
        """
        key, now = _key(path), time.monotonic()
        with self._lock:
            if key in self._waiting:
                return self._waiting[key].reading
            return Reading(0, key[1], now) if key in self._later else self._known(key, now)

    def report_of(self, path: str) -> bytes | None:
        """The report of a trace, where it is at hand.

        Raises:
            Gone: The trace is not there.
        """
        state = self.state_of(path)
        return state if isinstance(state, bytes) else None

    def read_later(self, path: str) -> None:
        """Queue a trace that nobody looks at alone, behind all others; it is read whoever asks again.

        Raises:
            Gone: The trace is not there.
        """
        key = _key(path)
        with self._lock:
            if key not in self._waiting:
                self._later[key] = None
                self._start()

    def close(self) -> None:
        """End the processes that read; what waits is forgotten."""
        with self._lock:
            self._later.clear()
            self._waiting = {key: self._waiting[key] for key in self._current.values()}
        for worker in self._workers:
            worker.close()

    def _queue(self, key: _Key, now: float) -> None:
        self._forget_abandoned(now)
        if len(self._waiting) >= MAX_WAITING:
            raise Busy(f"{MAX_WAITING} traces are waiting to be read: try again in a minute")
        self._later.pop(key, None)
        self._waiting[key] = _Waiting(Reading(0, key[1], now), now)
        self._start()

    def _known(self, key: _Key, now: float) -> bytes | Failed | None:
        if key in self._reports:
            self._reports.move_to_end(key)
            return self._reports[key]
        failed = self._failures.get(key)
        return failed if failed is not None and now < failed.retry_at else None

    def _forget_abandoned(self, now: float) -> None:
        for key, waiting in list(self._waiting.items()):
            if key not in self._current.values() and now - waiting.asked_at > _ABANDONED_AFTER_S:
                del self._waiting[key]

    def _ahead_of(self, key: _Key, now: float) -> int:
        place = self._place(key, now)
        return sum(self._place(other, now) < place for other in self._waiting)

    def _place(self, key: _Key, now: float) -> tuple[int, float]:
        """Whatever has a lower one is read earlier."""
        if key in self._current.values():
            return 0, 0.0
        since = self._waiting[key].reading.since
        return (1, since) if now - since > _FIRST_IN_LINE_AFTER_S else (2, float(key[1]))

    def _start(self) -> None:
        """Hand what is next to each process that is free. Called with the lock held."""
        for at, worker in enumerate(self._workers):
            most_bytes = None if at < self._for_all else self._most_beside_large()
            while at not in self._current and (key := self._next(time.monotonic(), most_bytes)) is not None:
                self._current[at] = key
                try:
                    answer = worker.ask(Question(key[0], "report", {}), deadline_s=deadline_s(key[1]))
                except Busy as error:
                    self._finish(at, Failed(error, time.monotonic() + _RETRY_AFTER_S))
                else:
                    answer.add_done_callback(partial(self._take, at))
        if len(self._current) == self._for_all and self._most_beside_large():
            for worker in self._workers[self._for_all :]:
                with contextlib.suppress(Busy):
                    worker.start()

    def _most_beside_large(self) -> int:
        """What the process for small ones may read: nothing while another one will soon be free."""
        others = (key[1] for at, key in self._current.items() if at < self._for_all)
        return SMALL_BYTES if all(size > SMALL_BYTES for size in others) else 0

    def _next(self, now: float, most_bytes: int | None) -> _Key | None:
        """What somebody looks at comes before the rest of any run, which no process for small ones reads."""
        self._forget_abandoned(now)
        free = self._waiting.keys() - self._current.values()
        if most_bytes is not None:
            free = {key for key in free if key[1] <= most_bytes}
        if free:
            return min(free, key=lambda one: self._place(one, now))
        if most_bytes is not None or not self._later:
            return None
        key, _ = self._later.popitem(last=False)
        self._waiting[key] = _Waiting(Reading(0, key[1], now), now)
        return key

    def _note_progress(self, at: int, read_bytes: int, total_bytes: int) -> None:
        with self._lock:
            key = self._current.get(at)
            if key is not None:
                waiting = self._waiting[key]
                reading = Reading(read_bytes, total_bytes, waiting.reading.since)
                self._waiting[key] = _Waiting(reading, waiting.asked_at)

    def _take(self, at: int, answer: Future[bytes]) -> None:
        with self._lock:
            self._finish(at, _result(answer))
            self._start()

    def _finish(self, at: int, result: bytes | Failed) -> None:
        key = self._current.pop(at)
        del self._waiting[key]
        if isinstance(result, Failed):
            self._failures[key] = result
            self._failures.move_to_end(key)
            while len(self._failures) > _KEPT_FAILURES:
                self._failures.popitem(last=False)
            return
        self._reports[key] = result
        kept_bytes = sum(map(len, self._reports.values()))
        while kept_bytes > _KEPT_BYTES:
            kept_bytes -= len(self._reports.popitem(last=False)[1])


def deadline_s(size_bytes: int) -> float:
    """For reading a trace of so many bytes on a machine that does much else."""
    return DEADLINE_S + size_bytes / 1e6


def _result(answer: Future[bytes]) -> bytes | Failed:
    try:
        return answer.result()
    except (ReadingEnded, Busy) as error:
        return Failed(error, time.monotonic() + _RETRY_AFTER_S)
    except ReadingTookTooLong as error:
        return Failed(error, time.monotonic() + _RETRY_SLOW_AFTER_S)
    except TbprofError as error:
        return Failed(error)


def _key(path: str) -> _Key:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise Gone(f"{path} is gone or can't be read ({error.strerror})") from error
    return path, status.st_size, file_state(status)
