"""The processes that read for the tab, and the one line in which everything waits for them.

A question that several people ask is answered once, and one that nobody asks for any more is not. What comes
next is decided by `Priority`; which process takes what, by `_processes`. The death of a process costs the
question that it had, as does a deadline.

Processes differ by what they may cost. What reads stored reports starts without numpy, has little memory and
never waits behind a trace. Open traces have a process of their own, since a tile comes in milliseconds and a
trace takes seconds. The lists of remote log directories are made elsewhere (`log_directory`): they wait for
stores, and have credentials that nothing here needs.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from enum import IntEnum
from functools import partial
from itertools import chain, islice
from typing import TypeAlias

from tbprof.errors import Busy, TbprofError
from tbprof.plugin.worker.kept import Answer, Failed, Kept, Key
from tbprof.process.answering import Question
from tbprof.process.worker import DEADLINE_S, Worker
from tbprof.records import dataclass

REPORT_READER = "tbprof.plugin.worker.report_main"
"""Never imported here: it holds what reads reports."""

TRACE_READER = "tbprof.plugin.worker.main"
"""Never imported here: it holds what reads and analyzes traces."""

LARGE = 2
"""Processes that read traces of any size at once: a server that others work on has more to do."""

SMALL_BYTES = 1_000_000
"""The size of a trace's file: one that takes a second is not to wait until two that take many have been
read."""

MAX_WAITING = 64
"""Traces that may wait while somebody looks; one more is refused."""

_MAX_ASKED = 256
"""Questions of any other kind."""

_FIRST_IN_LINE_AFTER_S = 60.0
"""Small traces are read first; one that has waited for so long is not overtaken any more."""

_ABANDONED_AFTER_S = 150.0
"""A tab asks every second while it is seen, and browsers let one in the background ask once a minute."""


class Priority(IntEnum):
    """What is asked, in the order in which a process takes it."""

    STORED_REPORT = 0
    """A page waits for it."""
    OPEN_TRACE = 1
    """A question about a trace that is held open, or the first one, which opens it."""
    SMALL_TRACE = 2
    """A trace that has no report, and that somebody looks at."""
    LARGE_TRACE = 3
    REST_OF_RUN = 4
    """A trace of a run that somebody looks at; it is read whoever asks again."""
    SUMMARY = 5
    """Summaries of the newest windows of all runs, some at a time."""
    LIST_OF_RUNS = 6
    """A trace that nobody looks at, for the list of all runs; few of them are in line at once."""


_TRACES = (Priority.SMALL_TRACE, Priority.LARGE_TRACE)
_POLLED = (*_TRACES, Priority.OPEN_TRACE)
"""Asked for again and again until there is an answer."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question, and how it is to be treated."""

    key: Key
    question: Question
    priority: Priority
    deadline_s: float = DEADLINE_S
    """The deadline, counted from when it is its turn."""
    size_bytes: int = 0
    """The size of the trace; 0 where that is known only once it is being read."""
    retries: Sequence[tuple[type[TbprofError], float]] = ()
    """Errors that are remembered, each with the seconds after which another try may do better."""
    packed: Callable[[bytes], bytes] | None = None
    """Makes what is kept of the answer; None where nothing is."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Something that waits, or is being read."""

    read_bytes: int
    total_bytes: int
    since: float
    """`time.monotonic()` of the first request."""
    ahead: int = 0
    """How many others come before it."""


State: TypeAlias = Answer | Failed | Reading


class Job:
    """A task from the first who asks to its answer."""

    def __init__(self, task: Task, now: float) -> None:
        self.task = task
        self.since = now
        self.asked_at = now
        """`time.monotonic()` of the last request."""
        self.progress = (0, task.size_bytes)
        """Bytes read, and those that there are."""
        self.process: _Process | None = None
        """The one that has it; None while it waits."""
        self.answer = Future[Answer]()

    def place(self, now: float) -> tuple[float, float]:
        """Whatever has a lower one comes earlier."""
        if self.process is not None:
            return -1.0, 0.0
        priority = self.task.priority
        if priority not in _TRACES:
            return priority, self.since
        if now - self.since > _FIRST_IN_LINE_AFTER_S:
            return Priority.SMALL_TRACE - 0.5, self.since
        return priority, float(self.task.size_bytes)


class _Process:
    """One that answers, and what it takes."""

    def __init__(self, module: str, takes: tuple[Priority, ...], progress: Callable[..., None]) -> None:
        self.takes = takes
        self.worker = Worker(module, partial(progress, self))
        self.job: Job | None = None

    @property
    def is_beside_large(self) -> bool:
        """Whether it is there for small traces while all others have large ones."""
        return self.takes == (Priority.SMALL_TRACE,)

    @property
    def reads_all_traces(self) -> bool:
        return Priority.LARGE_TRACE in self.takes


def _processes(large: int, small: int, progress: Callable[..., None]) -> Iterator[_Process]:
    """The processes of a pool.

    A report that takes long to read holds up no other, and those of a thousand ranks are shared, as two
    processes read reports; one of them makes summaries when none waits.
    """
    yield _Process(REPORT_READER, (Priority.STORED_REPORT,), progress)
    yield _Process(REPORT_READER, (Priority.STORED_REPORT, Priority.SUMMARY), progress)
    for _ in range(large):
        yield _Process(TRACE_READER, (*_TRACES, Priority.REST_OF_RUN, Priority.LIST_OF_RUNS), progress)
    for _ in range(small):
        yield _Process(TRACE_READER, (Priority.SMALL_TRACE,), progress)
    yield _Process(TRACE_READER, (Priority.OPEN_TRACE,), progress)


class Pool:
    """All methods may be called from any thread."""

    def __init__(self, kept: Kept, *, large: int = LARGE, small: int = 1) -> None:
        """Nothing is started yet.

        Args:
            kept: Where answers go.
            large: Processes that read traces at once.
            small: More of them, which read only small ones beside large ones.
        """
        self._kept = kept
        self._lock = threading.Lock()
        self._jobs: dict[Key, Job] = {}
        self._waiting: dict[Priority, dict[Key, Job]] = {priority: {} for priority in Priority}
        """The jobs that no process has, in the order in which they came."""
        self._done: deque[tuple[Job, Answer | TbprofError]] = deque()
        """The jobs whose end nobody has heard of yet."""
        self._processes = tuple(_processes(large, small, self._note_progress))

    def pids(self, *priorities: Priority) -> tuple[int, ...]:
        """The numbers of the processes that run, or of those that take one of these."""
        chosen = (one for one in self._processes if not priorities or set(priorities) & set(one.takes))
        return tuple(pid for one in chosen if (pid := one.worker.pid) is not None)

    def prepare(self, priority: Priority) -> None:
        """Start the first of the processes that take this, where none of them runs."""
        if not self.pids(priority):
            with contextlib.suppress(Busy):
                next(one for one in self._processes if priority in one.takes).worker.start()

    def ask(self, task: Task, *, patience_s: float = 0.0) -> State:
        """What there is after so many seconds at most; the task waits in line if it is new.

        Raises:
            Busy: Too much waits.
        """
        found = self.begin(task)
        if not isinstance(found, Job):
            return found
        if patience_s:
            wait([found.answer], patience_s)
        return self._state_of(found)

    def begin(self, task: Task) -> Job | Answer | Failed:
        """What is known, or the job that it has become.

        Raises:
            Busy: Too much waits.
        """
        now = time.monotonic()
        with self._lock:
            if (known := self._known(task.key)) is not None:
                return known
            job = self._jobs.get(task.key)
            if job is None:
                self._make_room(task.priority, now)
                job = self._jobs[task.key] = self._waiting[task.priority][task.key] = Job(task, now)
            elif job.process is None and task.priority < job.task.priority:
                # Somebody looks at what was to be read later.
                del self._waiting[job.task.priority][task.key]
                self._waiting[task.priority][task.key] = job
                job.task, job.since = task, now
            job.asked_at = now
        self._go_on()
        return job

    def state_of(self, key: Key) -> State | None:
        """What is known without asking; None where nothing is."""
        with self._lock:
            if (known := self._known(key)) is not None:
                return known
            job = self._jobs.get(key)
        return None if job is None else self._state_of(job)

    def give_up(self, key: Key) -> None:
        """Do not answer it any more, unless a process has begun."""
        with self._lock:
            job = self._jobs.get(key)
            if job is not None and job.process is None:
                self._drop(job)

    def close(self) -> None:
        """End the processes; what waits is not answered."""
        with self._lock:
            for job in [job for job in self._jobs.values() if job.process is None]:
                self._drop(job)
        for process in self._processes:
            process.worker.close()

    def _known(self, key: Key) -> Answer | Failed | None:
        answer = self._kept.get(key, Answer)
        failed = None if answer is not None else self._kept.get(key, Failed)
        return answer if failed is None or time.monotonic() >= failed.retry_at else failed

    def _state_of(self, job: Job) -> State:
        if job.answer.done() and not job.answer.cancelled():
            error = job.answer.exception()
            if not isinstance(error, TbprofError):
                return job.answer.result()
            return self._kept.get(job.task.key, Failed) or Failed(error)
        with self._lock:
            return Reading(*self._progress_of(job), job.since, self._ahead_of(job, time.monotonic()))

    def _progress_of(self, job: Job) -> tuple[int, int]:
        """For a question that waits for an open trace that of the one before: often it is the same trace."""
        if job.process is None and job.task.priority is Priority.OPEN_TRACE:
            before = next(one.job for one in self._processes if Priority.OPEN_TRACE in one.takes)
            return job.progress if before is None else before.progress
        return job.progress

    def _ahead_of(self, job: Job, now: float) -> int:
        """How many traces are read before this one; nobody counts anything else."""
        if job.task.priority not in _TRACES:
            return 0
        readers = (one.job for one in self._processes if Priority.SMALL_TRACE in one.takes)
        waiting = chain.from_iterable(self._waiting[priority].values() for priority in _TRACES)
        others = [*waiting, *(one for one in readers if one is not None)]
        place = job.place(now)
        return sum(one.place(now) < place for one in others)

    def _make_room(self, priority: Priority, now: float) -> None:
        """Called with the lock held, as all below but `_go_on`, `_note_progress` and `_take`.

        Raises:
            Busy: There is none.
        """
        self._forget_abandoned(now)
        if priority in _TRACES:
            if sum(job.task.priority in _TRACES for job in self._jobs.values()) >= MAX_WAITING:
                raise Busy(f"{MAX_WAITING} traces are waiting to be read: try again in a minute")
        elif priority is not Priority.REST_OF_RUN and len(self._waiting[priority]) >= _MAX_ASKED:
            raise Busy(f"{_MAX_ASKED} questions are waiting for the process that reads traces: try again")

    def _forget_abandoned(self, now: float) -> None:
        for job in [job for priority in _POLLED for job in self._waiting[priority].values()]:
            if now - job.asked_at > _ABANDONED_AFTER_S:
                self._drop(job)

    def _drop(self, job: Job) -> None:
        del self._jobs[job.task.key], self._waiting[job.task.priority][job.task.key]
        job.answer.cancel()

    def _go_on(self) -> None:
        """Hand out what is next, and tell those who wait; called without the lock, as they may ask again."""
        with self._lock:
            begun = list(self._hand_out())
        for process, answer in begun:
            answer.add_done_callback(partial(self._take, process))
        while self._done:
            with contextlib.suppress(IndexError):
                job, result = self._done.popleft()
                if isinstance(result, Answer):
                    job.answer.set_result(result)
                else:
                    job.answer.set_exception(result)

    def _hand_out(self) -> Iterator[tuple[_Process, Future[bytes]]]:
        """Hand what is next to each process that is free."""
        self._forget_abandoned(time.monotonic())
        for process in self._processes:
            while process.job is None and (job := self._next(process)) is not None:
                del self._waiting[job.task.priority][job.task.key]
                process.job, job.process = job, process
                try:
                    yield process, process.worker.ask(job.task.question, deadline_s=job.task.deadline_s)
                except Busy as error:
                    self._finish(process, error)
        self._start_early()

    def _next(self, process: _Process) -> Job | None:
        if process.is_beside_large and not self._all_have_large():
            return None
        now = time.monotonic()
        waiting = chain.from_iterable(
            # Of all but traces the first is next, and the rest of runs may be thousands.
            islice(self._waiting[one].values(), None if one in _TRACES else 1)
            for one in process.takes
        )
        return min(waiting, key=lambda job: job.place(now), default=None)

    def _all_have_large(self) -> bool:
        """Whether no process that reads traces of any size will soon be free."""
        jobs = [process.job for process in self._processes if process.reads_all_traces]
        return all(job is not None and job.task.size_bytes > SMALL_BYTES for job in jobs)

    def _start_early(self) -> None:
        """Start what will be asked next, which would else wait for its start."""
        busy = {job.task.priority for process in self._processes if (job := process.job) is not None}
        for process in self._processes:
            is_next = process.is_beside_large and self._all_have_large()
            # Who asks for a page may ask for a whole job, which is shared.
            is_next |= Priority.STORED_REPORT in busy and Priority.STORED_REPORT in process.takes
            if is_next and process.worker.pid is None:
                with contextlib.suppress(Busy):
                    process.worker.start()

    def _note_progress(self, process: _Process, read_bytes: int, total_bytes: int) -> None:
        job = process.job
        if job is not None:
            job.progress = (read_bytes, total_bytes)

    def _take(self, process: _Process, answer: Future[bytes]) -> None:
        job = process.job
        assert job is not None, "a process that answers was asked"
        error = answer.exception()
        packed = job.task.packed or (lambda content: content)
        result = error if isinstance(error, TbprofError) else Answer(packed(answer.result()))
        with self._lock:
            self._finish(process, result)
        self._go_on()

    def _finish(self, process: _Process, result: Answer | TbprofError) -> None:
        job, process.job = process.job, None
        assert job is not None, "a process that answers was asked"
        task = job.task
        del self._jobs[task.key]
        if isinstance(result, Answer):
            if task.packed is not None:
                self._kept.keep(task.key, result, len(result.content))
        elif (after_s := _retried_after_s(task, result)) is not None:
            failed = Failed(result.with_traceback(None), time.monotonic() + after_s)
            self._kept.keep(task.key, failed)
        self._done.append((job, result))


def _retried_after_s(task: Task, error: TbprofError) -> float | None:
    """Seconds until it may be tried again; None where it may at once."""
    return next((after_s for kind, after_s in task.retries if isinstance(error, kind)), None)
