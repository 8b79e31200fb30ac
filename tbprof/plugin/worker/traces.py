"""What is asked of traces: the reports of those that have none, and whatever is shown of one that is open."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from tbprof.errors import Busy, Gone, ReadingEnded, ReadingTookTooLong, TbprofError
from tbprof.plugin.worker.kept import Answer, Failed, Key
from tbprof.plugin.worker.pool import SMALL_BYTES, Job, Pool, Priority, Reading, State, Task
from tbprof.process.answering import Question
from tbprof.process.worker import DEADLINE_S
from tbprof.safe_open import FileState, file_state

_RETRY_AFTER_S = 10.0
"""A process that died may have been short of memory for a moment only."""

_RETRY_SLOW_AFTER_S = 600.0
"""A file system may answer later; a trace that is too much would hold up all others again."""

_RETRIES = (
    (ReadingTookTooLong, _RETRY_SLOW_AFTER_S),
    (ReadingEnded, _RETRY_AFTER_S),
    (Busy, _RETRY_AFTER_S),
    (TbprofError, float("inf")),
)
"""A file that gives nothing is not read again before it changes: a run of broken traces would be for ever."""


class Traces:
    """All methods may be called from any thread."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def report(self, path: str) -> State:
        """The stored form of the report of a trace, which is queued if it is new.

        Raises:
            Gone: The trace is not there.
            Busy: Too many wait.
        """
        return self._pool.ask(_report(path))

    def state_of(self, path: str) -> State | None:
        """The same of a trace as far as it is known; None where it was never asked for, or may be read again.

        Raises:
            Gone: The trace is not there.
        """
        return self._pool.state_of(_report(path).key)

    def report_at_hand(self, path: str) -> bytes | None:
        """The report of a trace that has been read.

        Raises:
            Gone: The trace is not there.
        """
        state = self.state_of(path)
        return state.content if isinstance(state, Answer) else None

    def read_later(self, path: str) -> None:
        """Queue a trace that nobody looks at alone, after all others; it is read whoever asks again.

        Raises:
            Gone: The trace is not there.
        """
        self._pool.begin(_report(path, Priority.REST_OF_RUN))

    def read_for_list(self, path: str) -> Job | Answer | Failed:
        """Queue a trace after all that anybody looks at.

        Raises:
            Gone: The trace is not there.
            Busy: Too many wait.
        """
        return self._pool.begin(_report(path, Priority.LIST_OF_RUNS))

    def prepare(self) -> None:
        """Start a process that reads for the list of runs, where none runs."""
        self._pool.prepare(Priority.LIST_OF_RUNS)

    def give_up(self, key: Key) -> None:
        """Do not read it, unless that has begun."""
        self._pool.give_up(key)

    def ask(
        self, path: str, key: Key, *, packed: Callable[[bytes], bytes] | None = None, patience_s: float = 0.3
    ) -> Answer | Reading:
        """What an open trace answers to `key`, or how far it has been read after so many seconds.

        Args:
            path: Of the trace.
            key: What is asked of it.
            packed: Makes what is kept of the answer.
            patience_s: How long the answer is waited for. Later it is there when it is asked for again.

        Raises:
            TbprofError: There is none; the message says why.
            Busy: The process that answers can't be asked.
        """
        known = self._pool.state_of(key)
        if isinstance(known, Answer):
            return known
        question = Question(path, key.ask, dict(key.parameters))
        task = Task(
            key, question, Priority.OPEN_TRACE, deadline_s(_size_bytes(path)), packed=packed or _as_it_is
        )
        state = self._pool.ask(task, patience_s=patience_s)
        if isinstance(state, Failed):
            raise state.error.with_traceback(None)
        return state


def deadline_s(size_bytes: int) -> float:
    """For reading a trace of so many bytes on a machine that does much else."""
    return DEADLINE_S + size_bytes / 1e6


def _report(path: str, unseen: Priority | None = None) -> Task:
    """The task of somebody who looks at it; else with the priority of what is `unseen`."""
    try:
        status = Path(path).stat()
    except OSError as error:
        raise Gone(f"{path} is gone or can't be read ({error.strerror})") from error
    size_bytes = status.st_size
    state: tuple[int, FileState] = size_bytes, file_state(status)
    priority = Priority.SMALL_TRACE if size_bytes <= SMALL_BYTES else Priority.LARGE_TRACE
    return Task(
        Key("report", (path,), state),
        Question(path, "report", {}),
        priority if unseen is None else unseen,
        deadline_s(size_bytes),
        size_bytes,
        _RETRIES,
        _as_it_is,
    )


def _as_it_is(content: bytes) -> bytes:
    return content


def _size_bytes(path: str) -> int:
    """The size of a file; where it is gone the process says so."""
    with contextlib.suppress(OSError):
        return Path(path).stat().st_size
    return 0
