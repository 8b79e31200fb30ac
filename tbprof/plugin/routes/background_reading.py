"""Reading traces that have no report while nobody looks at them: the list of all runs fills itself.

The newest come first. A few wait in the pool's line at a time, behind whatever somebody looks at: one that is
stopped ends with what is being read.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import RLock

from tbprof.errors import Busy, Gone
from tbprof.plugin.worker.kept import Answer, Key
from tbprof.plugin.worker.pool import LARGE, Job
from tbprof.plugin.worker.traces import Traces

AT_ONCE = 2 * LARGE
"""A process that is done finds the next one in line."""


class BackgroundReading:
    """All methods may be called from any thread."""

    def __init__(self, traces: Traces, lock: RLock, on_read: Callable[[str], None]) -> None:
        """Nothing is read yet.

        Args:
            traces: Reads them.
            lock: Held while anything changes.
            on_read: Called with each trace whose report is there, or never will be, the lock held.
        """
        self._traces = traces
        self._lock = lock
        self._on_read = on_read
        self._line: list[tuple[int, str]] = []
        """A heap, the newest first."""
        self._times: dict[str, int] = {}
        """When each was recorded, of those that wait and those that are begun."""
        self._begun: dict[str, Key] = {}
        self.is_stopped = False

    def __len__(self) -> int:
        """How many are still to be read."""
        return len(self._times)

    def __contains__(self, path: str) -> bool:
        return path in self._times

    def offer(self, path: str, recorded_ns: int) -> None:
        """Have a trace read; `go_on` begins."""
        with self._lock:
            if path not in self._times:
                self._times[path] = recorded_ns
                heapq.heappush(self._line, (-recorded_ns, path))

    def withdraw(self, path: str) -> None:
        """Leave out a trace that was read elsewhere, unless it is being read."""
        with self._lock:
            if path not in self._begun:
                self._times.pop(path, None)

    def go_on(self) -> None:
        """Put the next ones in line."""
        with self._lock:
            while self._line and not self.is_stopped and len(self._begun) < AT_ONCE:
                _, path = heapq.heappop(self._line)
                if path in self._times and path not in self._begun and not self._begin(path):
                    return

    def stop(self) -> None:
        """Begin no more of them."""
        with self._lock:
            self.is_stopped = True
            for key in list(self._begun.values()):
                self._traces.give_up(key)

    def resume(self) -> None:
        with self._lock:
            self.is_stopped = False
            self.go_on()

    def _begin(self, path: str) -> bool:
        """Whether there is room for another one."""
        try:
            job = self._traces.read_for_list(path)
        except Gone:
            self._end(path)
            return True
        except Busy:
            heapq.heappush(self._line, (-self._times[path], path))
            return False
        if isinstance(job, Job):
            self._begun[path] = job.task.key
            job.answer.add_done_callback(partial(self._take, path))
        else:
            self._end(path)
        return True

    def _take(self, path: str, answer: Future[Answer]) -> None:
        with self._lock:
            self._begun.pop(path, None)
            if answer.cancelled():
                # Stopped, or nothing is read any more.
                heapq.heappush(self._line, (-self._times.setdefault(path, 0), path))
                return
            self._end(path)
            self.go_on()

    def _end(self, path: str) -> None:
        self._times.pop(path, None)
        self._on_read(path)
