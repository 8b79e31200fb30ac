"""Answers of traces that are held open, from a process of their own.

A trace stays open there, so that a tile takes milliseconds; and reading one, which takes
seconds, holds up neither TensorBoard nor the reports of other traces.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import Future, wait
from dataclasses import field
from pathlib import Path
from typing import TypeAlias

from tbprof.plugin.worker.analyses import WORKER, Reading, deadline_s
from tbprof.process.answering import Question
from tbprof.process.worker import MOST_WAITING, Worker
from tbprof.records import dataclass
from tbprof.safe_open import FileState, file_state

_Key: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...], int, FileState]
"""The size of the file and the file as it is are among it: what is being made of one that was replaced is no
answer to who asks now."""


@dataclass(frozen=True, slots=True)
class _Pending:
    answer: Future[bytes]
    since: float = field(default_factory=time.monotonic)


class OpenTraces:
    """All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pending: OrderedDict[_Key, _Pending] = OrderedDict()
        self._progress = (0, 0)
        """Bytes read of the trace that is being read, and its size; both 0 before that is known."""
        self._worker = Worker(WORKER, self._note_progress)

    @property
    def pid(self) -> int | None:
        """The number of the process that answers; None where none runs."""
        return self._worker.pid

    def ask(
        self, path: str, ask: str, parameters: Mapping[str, str], *, patience_s: float = 0.3
    ) -> bytes | Reading:
        """The answer, or how far its trace has been read after so many seconds.

        Raises:
            TbprofError: There is none; the message says why.
            Busy: The process that answers can't be asked.
        """
        key = (path, ask, tuple(sorted(parameters.items())), *_state(path))
        with self._lock:
            pending = self._pending.get(key) or self._send(key)
        wait([pending.answer], patience_s)
        if not pending.answer.done():
            # The answer is there when it is asked for again.
            return Reading(*self._progress, pending.since)
        with self._lock:
            # Whoever is late must not take the answer of those that have asked again since.
            if self._pending.get(key) is pending:
                del self._pending[key]
        return pending.answer.result()

    def close(self) -> None:
        """End the process that answers."""
        self._worker.close()

    def _send(self, key: _Key) -> _Pending:
        """Called with the lock held."""
        if self._worker.pid is None:
            self._progress = (0, 0)
        path, ask, parameters, size_bytes, _ = key
        question = Question(path, ask, dict(parameters))
        pending = _Pending(self._worker.ask(question, deadline_s=deadline_s(size_bytes)))
        self._pending[key] = pending
        while len(self._pending) > MOST_WAITING:
            # Nobody came back for it.
            self._pending.popitem(last=False)[1].answer.cancel()
        return pending

    def _note_progress(self, read_bytes: int, total_bytes: int) -> None:
        self._progress = (read_bytes, total_bytes)


def _state(path: str) -> tuple[int, FileState]:
    """The size of the file, and the file as it is; of one that is gone the process says so."""
    with contextlib.suppress(OSError):
        status = Path(path).stat()
        return status.st_size, file_state(status)
    return 0, ()
