"""Views of reports, made by processes of their own and kept as they were sent.

Nothing of a stored report is read in TensorBoard's process: it hands over where the files are, and hands on
what comes back. A window without a report is analyzed first.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from typing import TypeAlias

from tbprof.errors import Busy, Gone, ReadingEnded, ReadingTookTooLong, TbprofError
from tbprof.model import Window
from tbprof.plugin.worker.analyses import Analyses, Failed, Reading
from tbprof.plugin.worker.kept_answers import Answer, KeptAnswers
from tbprof.plugin.worker.window_messages import (
    MISSING,
    AskedWindow,
    Part,
    packed_job,
    packed_windows,
    parts_in,
)
from tbprof.process.answering import Question
from tbprof.process.worker import Worker
from tbprof.records import dataclass
from tbprof.safe_open import FileState, file_state
from tbprof.views.job.job_page import RankProblem, UnreadRank

_REPORT_WORKER = "tbprof.plugin.worker.report_main"
"""Never imported here: it holds what reads reports."""

_PROCESSES = 2
"""A report that takes long to read holds up no other, and those of a thousand ranks are shared."""

_DEADLINE_S = 20.0
"""Of one question: of what a report may hold, making a view takes a second or two on a busy machine."""

_OF_RANK_S = 0.005
"""More for each rank of a job: ten times as long as it takes."""

_PATIENCE_S = 60.0
"""Of those who ask: others may be before them."""

_KEPT_BYTES = 32 * 1024 * 1024

_KEPT_FAILURES = 1_000
_RETRY_AFTER_S = 60.0
"""A report that costs the process its life is not read again at once, whoever asks."""

FilesState: TypeAlias = tuple[FileState | None, ...]
"""Of the trace and the report of a window: what changes when they do; None of one that is not there."""

_Key: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A trace has to be read first."""

    reading: Reading
    ahead: int
    """How many others come before it."""


class Reports:
    """All methods may be called from any thread."""

    def __init__(self, analyses: Analyses) -> None:
        """Nothing is started yet; `analyses` reads traces that have no report."""
        self._analyses = analyses
        self._workers = tuple(Worker(_REPORT_WORKER, lambda *_: None) for _ in range(_PROCESSES))
        self._lock = threading.Lock()
        self._pending: dict[_Key, Future[bytes]] = {}
        self._failures: OrderedDict[_Key, tuple[float, TbprofError]] = OrderedDict()
        self._kept = KeptAnswers(_KEPT_BYTES)

    @property
    def pids(self) -> tuple[int, ...]:
        """The numbers of the processes that read reports; none where none runs."""
        return tuple(pid for worker in self._workers if (pid := worker.pid) is not None)

    def prepare(self) -> None:
        """Start the first of the processes that read, where none runs."""
        with suppress(Busy):
            if not self.pids:
                self._workers[0].start()

    def view(
        self, ask: str, windows: Sequence[Window], parameters: Mapping[str, str] | None = None
    ) -> Answer | Waiting:
        """What is asked of these windows, as JSON, or what it waits for.

        Raises:
            TbprofError: One of them gives nothing; the message says why.
            Busy: Too much is asked at once.
        """
        places = tuple((window.run, window.worker, window.window, files_of(window)) for window in windows)
        key = (ask, places, tuple(sorted((parameters or {}).items())))
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        asked = [AskedWindow(window, self._analyzed(window)) for window in windows]
        content = self._ask((*key, _stored(asked)), ask, asked, parameters or {})
        while content.startswith(MISSING):
            for at in map(int, content.removeprefix(MISSING).split()):
                found = self._read(windows[at])
                if isinstance(found, Waiting):
                    return found
                asked[at] = AskedWindow(windows[at], found)
            content = self._ask((*key, _stored(asked)), ask, asked, parameters or {})
        return self._kept.keep(key, content)

    def of_many(self, ask: str, windows: Sequence[Window]) -> list[Part]:
        """What is asked of each of these windows; of one that is missing, its trace is read later."""
        parts: list[Part | None] = [self._state_of_one(window) for window in windows]
        asked = [AskedWindow(windows[at], self._analyzed(windows[at])) for at in _left(parts)]
        if asked:
            key = (ask, tuple((one.window, files_of(one.window)) for one in asked), _stored(asked))
            for at, part in zip(_left(parts), parts_in(self._ask(key, ask, asked, {})), strict=True):
                parts[at] = self._read_later(windows[at]) if part.is_missing else part
        return [part for part in parts if part is not None]

    def page_of_job(
        self,
        summaries: Sequence[str],
        problems: Sequence[RankProblem],
        older: Sequence[str],
        reading: Sequence[UnreadRank],
    ) -> bytes:
        """The page of these ranks, as JSON.

        Args:
            summaries: As `of_many` answers with them.
            problems: The ranks that gave none.
            older: Workers of earlier trainings.
            reading: Those that are still being read.

        Raises:
            TbprofError: There is none.
            Busy: Too much is asked at once.
        """
        job = packed_job(summaries, problems, older, reading)
        key = ("job", hashlib.blake2b(job).digest())
        question = Question("the job", "job", {}, job)
        return self._answered(key, question, more_s=len(summaries) * _OF_RANK_S)

    def memory_file(self, path: str, state: tuple[int, ...]) -> Answer:
        """A file that tells of memory, as JSON; `state` is another one for another content.

        Raises:
            TbprofError: It gives nothing; the message says why.
            Busy: Too much is asked at once.
        """
        key = ("memory_file", path, state)
        kept = self._kept.get(key)
        if kept is not None:
            return kept
        return self._kept.keep(key, self._answered(key, Question(path, "memory_file", {})))

    def close(self) -> None:
        """End the processes that read reports."""
        for worker in self._workers:
            worker.close()

    def _analyzed(self, window: Window) -> bytes | None:
        """Its report where its trace had to be analyzed."""
        return None if window.trace_path is None else self._analyses.report_of(window.trace_path)

    def _read(self, window: Window) -> bytes | Waiting:
        assert window.trace_path is not None, "a window without a report has a trace"
        state, ahead = self._analyses.ask(window.trace_path)
        if isinstance(state, Reading):
            return Waiting(state, ahead)
        if isinstance(state, Failed):
            raise state.error.with_traceback(None)
        return state

    def _state_of_one(self, window: Window) -> Part | None:
        """What is known without asking; None where that has to be asked."""
        try:
            files_of(window)
            state = None if window.trace_path is None else self._analyses.state_of(window.trace_path)
        except Gone as error:
            return Part(error=str(error))
        if isinstance(state, Failed) and window.report_path is None:
            return Part(error=str(state.error))
        return Part(is_missing=True) if isinstance(state, Reading) else None

    def _read_later(self, window: Window) -> Part:
        """Have a trace read of which there is no report; it may have been tried."""
        assert window.trace_path is not None, "a window without a report has a trace"
        state = self._analyses.state_of(window.trace_path)
        if isinstance(state, Failed):
            return Part(error=str(state.error))
        if state is None:
            self._analyses.read_later(window.trace_path)
        return Part(is_missing=True)

    def _ask(self, key: _Key, ask: str, asked: Sequence[AskedWindow], parameters: Mapping[str, str]) -> bytes:
        path = asked[0].window.report_path or asked[0].window.trace_path or ""
        question = Question(path, ask, {**parameters, "windows": packed_windows(asked)})
        return self._answered(key, question)

    def _answered(self, key: _Key, question: Question, *, more_s: float = 0.0) -> bytes:
        """The answer of a process, to all who ask the same at once."""
        with self._lock:
            self._raise_known(key)
            answer = self._pending.get(key)
            if answer is None:
                answer = self._least_asked().ask(question, deadline_s=_DEADLINE_S + more_s)
                self._pending[key] = answer
        wait([answer], _PATIENCE_S)
        with self._lock:
            if self._pending.get(key) is answer:
                del self._pending[key]
        if not answer.done():
            # Where others wait for the same, it has begun or they ask again.
            answer.cancel()
            raise Busy("many reports are being read: try again in a moment")
        try:
            return answer.result()
        except CancelledError as error:
            raise Busy("many reports are being read: try again in a moment") from error
        except (ReadingEnded, ReadingTookTooLong) as error:
            self._remember(key, error)
            raise

    def _least_asked(self) -> Worker:
        """All run from the first question on: one that asks for a whole job would wait for their start."""
        if len(self.pids) < len(self._workers):
            for worker in self._workers:
                worker.start()
        return min(self._workers, key=lambda worker: worker.num_asked)

    def _raise_known(self, key: _Key) -> None:
        until, error = self._failures.get(key, (0.0, None))
        if error is not None and time.monotonic() < until:
            raise error

    def _remember(self, key: _Key, error: TbprofError) -> None:
        with self._lock:
            self._failures[key] = time.monotonic() + _RETRY_AFTER_S, error
            while len(self._failures) > _KEPT_FAILURES:
                self._failures.popitem(last=False)


def files_of(window: Window) -> FilesState:
    """The state of the trace and of the report of a window.

    Raises:
        Gone: Neither is there any more.
    """
    state = tuple(_state(path) for path in (window.trace_path, window.report_path))
    if state == (None, None):
        path = window.report_path or window.trace_path
        raise Gone(f"{path} is gone or can't be read")
    return state


def _state(path: str | None) -> FileState | None:
    if path is None:
        return None
    try:
        found = os.stat(path)  # noqa: PTH116 - of thousands; a Path takes three times as long
    except OSError:
        return None
    return file_state(found)


def _left(parts: Sequence[Part | None]) -> list[int]:
    return [at for at, part in enumerate(parts) if part is None]


def _stored(asked: Sequence[AskedWindow]) -> tuple[bool, ...]:
    return tuple(one.stored is not None for one in asked)
