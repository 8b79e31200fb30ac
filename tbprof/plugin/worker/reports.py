"""What is asked of reports: views of them, and figures of many.

Nothing of a stored report is read in TensorBoard's process: it hands over where the files are, and hands on
what comes back. A window without a report is analyzed first.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeAlias

from tbprof.errors import Busy, Gone, ReadingEnded, ReadingTookTooLong
from tbprof.model import Window
from tbprof.plugin.worker.kept import Answer, Failed, Kept, Key
from tbprof.plugin.worker.pool import Pool, Priority, Reading, Task
from tbprof.plugin.worker.traces import Traces
from tbprof.plugin.worker.window_messages import (
    MISSING,
    AskedWindow,
    Part,
    packed_job,
    packed_windows,
    parts_in,
)
from tbprof.process.answering import Question
from tbprof.safe_open import FileState, file_state
from tbprof.views.job.job_page import RankProblem, UnreadRank

_DEADLINE_S = 20.0
"""The time for one question: making a view of any report takes a second or two on a busy machine."""

_OF_RANK_S = 0.005
"""More for each rank of a job: ten times as long as it takes."""

_PATIENCE_S = 60.0
"""The time for those who ask: others may be before them."""

_RETRY_AFTER_S = 60.0
_RETRIES = ((ReadingEnded, _RETRY_AFTER_S), (ReadingTookTooLong, _RETRY_AFTER_S))
"""A report that costs the process its life is not read again at once, whoever asks."""

FilesState: TypeAlias = tuple[FileState | None, ...]
"""The state of the trace and the report of a window: it changes when they do; None for one that is not
there."""


class Reports:
    """All methods may be called from any thread."""

    def __init__(self, pool: Pool, kept: Kept) -> None:
        self._pool = pool
        self._kept = kept
        self._traces = Traces(pool)

    def prepare(self) -> None:
        """Start the first of the processes that read reports, where none runs."""
        self._pool.prepare(Priority.STORED_REPORT)

    def view(
        self, ask: str, windows: Sequence[Window], parameters: Mapping[str, str] | None = None
    ) -> Answer | Reading:
        """What is asked of these windows, as JSON, or the trace that has to be read first.

        Raises:
            TbprofError: One of them gives nothing; the message says why.
            Busy: Too much is asked at once.
        """
        key = key_of(ask, windows, parameters or {})
        kept = self._kept.get(key, Answer)
        if kept is not None:
            return kept
        asked = [AskedWindow(window, self._analyzed(window)) for window in windows]
        content = self._ask(key, asked)
        while content.startswith(MISSING):
            for at in map(int, content.removeprefix(MISSING).split()):
                found = self._read(windows[at])
                if isinstance(found, Reading):
                    return found
                asked[at] = AskedWindow(windows[at], found)
            content = self._ask(key, asked)
        return self._kept.keep_answer(key, content)

    def of_many(self, ask: str, windows: Sequence[Window]) -> list[Part]:
        """What is asked of each of these windows; of one that is missing, its trace is read later."""
        parts: list[Part | None] = [self._state_of_one(window) for window in windows]
        left = [at for at, part in enumerate(parts) if part is None]
        asked = [AskedWindow(windows[at], self._analyzed(windows[at])) for at in left]
        if asked:
            content = self._ask(key_of(ask, [one.window for one in asked], {}), asked)
            for at, part in zip(left, parts_in(content), strict=True):
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
        key = Key("job", (hashlib.blake2b(job).digest(),))
        question = Question("the job", "job", {}, job)
        return self._answered(key, question, more_s=len(summaries) * _OF_RANK_S)

    def memory_file(self, path: str, state: tuple[int, ...]) -> Answer:
        """A file that tells of memory, as JSON; `state` is another one for another content.

        Raises:
            TbprofError: It gives nothing; the message says why.
            Busy: Too much is asked at once.
        """
        key = Key("memory_file", (path,), state)
        kept = self._kept.get(key, Answer)
        if kept is not None:
            return kept
        return self._kept.keep_answer(key, self._answered(key, Question(path, "memory_file", {})))

    def run_time(self, folders: Sequence[str], state: Hashable) -> Answer:
        """Where the time of the run in these folders went, as JSON; `state` changes with what is there.

        Raises:
            TbprofError: There is no answer.
            Busy: Too much is asked at once.
        """
        key = Key("run_time", tuple(folders), state)
        kept = self._kept.get(key, Answer)
        if kept is not None:
            return kept
        question = Question(folders[0], "run_time", {"folders": json.dumps(folders)})
        return self._kept.keep_answer(key, self._answered(key, question))

    def _analyzed(self, window: Window) -> bytes | None:
        """Its report where its trace had to be analyzed."""
        return None if window.trace_path is None else self._traces.report_at_hand(window.trace_path)

    def _read(self, window: Window) -> bytes | Reading:
        assert window.trace_path is not None, "a window without a report has a trace"
        state = self._traces.report(window.trace_path)
        if isinstance(state, Failed):
            raise state.error.with_traceback(None)
        return state.content if isinstance(state, Answer) else state

    def _state_of_one(self, window: Window) -> Part | None:
        """What is known without asking; None where that has to be asked."""
        try:
            files_of(window)
            state = None if window.trace_path is None else self._traces.state_of(window.trace_path)
        except Gone as error:
            return Part(error=str(error))
        if isinstance(state, Failed) and window.report_path is None:
            return Part(error=str(state.error))
        return Part(is_missing=True) if isinstance(state, Reading) else None

    def _read_later(self, window: Window) -> Part:
        """Have a trace read of which there is no report; it may have been tried."""
        assert window.trace_path is not None, "a window without a report has a trace"
        state = self._traces.state_of(window.trace_path)
        if isinstance(state, Failed):
            return Part(error=str(state.error))
        if state is None:
            self._traces.read_later(window.trace_path)
        return Part(is_missing=True)

    def _ask(self, key: Key, asked: Sequence[AskedWindow]) -> bytes:
        path = asked[0].window.report_path or asked[0].window.trace_path or ""
        question = Question(path, key.ask, {**dict(key.parameters), "windows": packed_windows(asked)})
        stored = tuple(one.stored is not None for one in asked)
        return self._answered(dataclasses.replace(key, state=(key.state, stored)), question)

    def _answered(self, key: Key, question: Question, *, more_s: float = 0.0) -> bytes:
        """The answer of a process, to all who ask the same at once."""
        task = Task(key, question, Priority.STORED_REPORT, deadline_s=_DEADLINE_S + more_s, retries=_RETRIES)
        state = self._pool.ask(task, patience_s=_PATIENCE_S)
        if isinstance(state, Reading):
            # Where others wait for the same, it has begun or they ask again.
            self._pool.give_up(key)
            raise Busy("many reports are being read: try again in a moment")
        if isinstance(state, Failed):
            raise state.error.with_traceback(None)
        return state.content


def key_of(ask: str, windows: Sequence[Window], parameters: Mapping[str, str], *, run: str = "") -> Key:
    """What is asked of these windows, as their files are now; see `Key` for `run`.

    Raises:
        Gone: One has no file any more.
    """
    state = tuple(map(files_of, windows))
    return Key(ask, tuple(windows), state, tuple(sorted(parameters.items())), run)


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
