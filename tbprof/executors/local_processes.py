"""Processes of this machine, each with a file of its own."""

from __future__ import annotations

import base64
import contextlib
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue

from tbprof.errors import Busy, ReadingEnded, TbprofError, UsageError
from tbprof.executors.analyzing import Answer, Failure, Task
from tbprof.process.answering import Question
from tbprof.process.memory_limit import cores
from tbprof.process.worker import Worker

WORKER = "tbprof.executors.process_worker"
"""Never imported here: it holds what reads and analyzes traces."""

_AHEAD = 8
"""Files that each process may be ahead of whoever takes the answers: what is not taken fills the memory."""

_DEADLINE_S = 24 * 3600.0
"""For a file; who asked can end it sooner."""


class LocalProcesses:
    """They start when the first answer is asked for, and end with the last.

    A process that dies, as for want of memory, costs nothing but time: its file is read once more.
    """

    def __init__(self, count: int | None = None) -> None:
        """Take `count` processes, by default as many as there are cores that this process may use.

        Raises:
            UsageError: There is less than one.
        """
        if count is not None and count < 1:
            raise UsageError(f"--workers must be at least 1, not {count}")
        self._count = count or cores()

    def map(self, task: Task, paths: Iterable[str], /) -> Iterator[Answer]:
        """See `Executor`."""
        ask = base64.b64encode(pickle.dumps(task)).decode()
        workers: list[Worker] = []
        free: SimpleQueue[Worker] = SimpleQueue()

        def answer(path: str) -> Answer:
            # There are never more than there are threads, nor than there are files.
            try:
                worker = free.get_nowait()
            except Empty:
                worker = Worker(WORKER, lambda *_: None)
                workers.append(worker)
            try:
                return _answer(worker, Question(path, ask, {}))
            finally:
                free.put(worker)

        with contextlib.ExitStack() as stack:
            threads = stack.enter_context(ThreadPoolExecutor(self._count))
            stack.callback(_close, workers)
            # Where nobody takes the rest, what goes on ends at once.
            stack.callback(threads.shutdown, wait=False, cancel_futures=True)
            begun: deque[Future[Answer]] = deque()
            for path in paths:
                begun.append(threads.submit(answer, path))
                if len(begun) > _AHEAD * self._count:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()


def _close(workers: Iterable[Worker]) -> None:
    for worker in workers:
        worker.close()


def _answer(worker: Worker, question: Question) -> Answer:
    try:
        # One that was between two files has read nothing of the question.
        with contextlib.suppress(ReadingEnded, Busy):
            return worker.ask(question, deadline_s=_DEADLINE_S).result()
        return worker.ask(question, deadline_s=_DEADLINE_S).result()
    except TbprofError as error:
        return Failure(f"{question.path}: {error}" if isinstance(error, ReadingEnded) else str(error))
