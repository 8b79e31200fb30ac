"""A process of its own that is asked by any thread, and started when it is first asked.

The process that asks stays free, since reading a trace holds the interpreter for seconds. The worker ends
with the pipe through which it is asked, so however its parent ends, it leaves none behind; when it died,
the next question starts another.

Questions wait on this side of the pipe, and one is in the process at a time: whoever asks never waits for a
pipe that is full, a question that nobody waits for any more is never put, and one that takes too long costs
itself alone.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import BinaryIO, cast

from tbprof import errors
from tbprof.errors import Busy, ReadingEnded, ReadingTookTooLong, TbprofError, TraceError
from tbprof.folders import private_cache_folder
from tbprof.process.answering import Question, received, send
from tbprof.process.isolated import start_python
from tbprof.records import dataclass

MOST_WAITING = 256
"""Questions that wait; one more is refused."""

DEADLINE_S = 60.0
"""For an answer, unless who asks knows better."""

_END_S = 5.0


@dataclass(frozen=True, slots=True)
class _Asked:
    question: Question
    answer: Future[bytes]
    deadline_s: float


class Worker:
    """All methods may be called from any thread; progress and answers come from another one."""

    def __init__(self, module: str, progress: Callable[[int, int], None]) -> None:
        """Nothing is started yet.

        Args:
            module: it calls `answering.main`.
            progress: called with the bytes read of the file that is being read, and its size.
        """
        self._module = module
        self._progress = progress
        self._changed = threading.Condition()
        self._waiting: deque[_Asked] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The number of the process that runs; None where none does."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def start(self) -> None:
        """Start the process, so that the first question need not wait for it.

        Raises:
            Busy: There can be none now.
        """
        with self._changed:
            if self._is_closed:
                raise _closed()
            self._running()

    def ask(self, question: Question, *, deadline_s: float = DEADLINE_S) -> Future[bytes]:
        """The answer to come, or the `TbprofError` that it ends with.

        That is `ReadingEnded` where the process ends, and `ReadingTookTooLong` where it is ended because it
        had no answer so many seconds after it was its turn. An answer that is cancelled is not asked for.

        Raises:
            Busy: There is no process to ask now, or too much waits for it.
        """
        with self._changed:
            if self._is_closed:
                raise _closed()
            if len(self._waiting) >= MOST_WAITING:
                raise Busy(
                    f"{MOST_WAITING} questions are waiting for the process that reads traces: try again"
                )
            self._running()
            asked = _Asked(question, Future(), deadline_s)
            self._waiting.append(asked)
            self._changed.notify()
        return asked.answer

    def close(self) -> None:
        """End the process, and wait for its end."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
            process, thread = self._process, self._thread
        if thread is None:
            return
        if process is not None:
            _close_input(process)
            thread.join(_END_S)
            process.kill()
        thread.join()

    def _running(self) -> subprocess.Popen[bytes]:
        """The process, which is started where there is none, with what asks it; called with the lock held."""
        if self._process is None or self._process.poll() is not None:
            if self._process is not None:
                _end(self._process)
            # Why there is no cache is said here, and so not by each process once more.
            private_cache_folder("reports")
            try:
                self._process = _started(self._module)
            except OSError as error:
                raise _not_asked(error) from error
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True)
            self._thread.start()
        return self._process

    def _serve(self) -> None:
        """Put one question after the other until this is closed."""
        while (asked := self._next()) is not None:
            # Who asked may have gone meanwhile.
            if asked.answer.set_running_or_notify_cancel():
                self._put(asked)
        while self._waiting:
            self._waiting.popleft().answer.set_exception(_closed())
        if self._process is not None:
            _end(self._process)

    def _next(self) -> _Asked | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_closed)
            return None if self._is_closed else self._waiting.popleft()

    def _put(self, asked: _Asked) -> None:
        """Ask the process, and take what it tells until it has answered or ended."""
        try:
            with self._changed:
                if self._is_closed:
                    raise _closed()
                process = self._running()
        except Busy as error:
            asked.answer.set_exception(error)
            return
        deadline = _Deadline(asked.deadline_s, process)
        try:
            _send(process, asked.question)
            asked.answer.set_result(self._told(process))
        except Busy as error:
            if deadline.why is not None:
                process.wait()
            asked.answer.set_exception(deadline.why or error)
        except TbprofError as error:
            asked.answer.set_exception(error)
        except (EOFError, ValueError):
            # It ended, or sent what is no message: nothing that it sends after that can be understood.
            process.kill()
            code = process.wait()
            asked.answer.set_exception(deadline.why or _ended(code))
        finally:
            deadline.cancel()

    def _told(self, process: subprocess.Popen[bytes]) -> bytes:
        """The answer of the process to the one question that it has."""
        for message, content in received(cast(BinaryIO, process.stdout)):
            if "read_bytes" in message:
                self._progress(message["read_bytes"], message["total_bytes"])
            elif "size" in message:
                return content
            else:
                # Its program may have been updated meanwhile, and know of more.
                kind: type[TbprofError] = getattr(errors, message["kind"], TraceError)
                raise kind(message["error"])
        raise EOFError


class _Deadline:
    """Ends a process that has not answered in time."""

    def __init__(self, seconds: float, process: subprocess.Popen[bytes]) -> None:
        self.why: ReadingTookTooLong | None = None
        """Set where it was this that ended the process."""
        self._seconds = seconds
        self._process = process
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        self._timer.cancel()

    def _end(self) -> None:
        self.why = ReadingTookTooLong(f"it took longer than {self._seconds:.0f} s to read, and was given up")
        self._process.kill()


def _started(module: str) -> subprocess.Popen[bytes]:
    # Ctrl-C is for who asks: a worker that is only beginning would print where it was interrupted.
    return start_python(module, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)


def _closed() -> Busy:
    return Busy("no more is read: the process that asks is ending")


def _send(process: subprocess.Popen[bytes], question: Question) -> None:
    try:
        message = {"id": 0, "path": question.path, "ask": question.ask, "parameters": question.parameters}
        send(_input(process), message, question.content or None)
    except (OSError, ValueError) as error:
        # The second, where the input has been closed meanwhile.
        raise _not_asked(error) from error


def _not_asked(error: OSError | ValueError) -> Busy:
    return Busy(f"the process that reads traces can't be asked ({error}): try again")


def _ended(code: int) -> ReadingEnded:
    return ReadingEnded(f"the process that read it ended with code {code}: it may need more memory")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process whose input is closed, or that has ended, and leave nothing of it."""
    _close_input(process)
    process.wait()
    cast(BinaryIO, process.stdout).close()


def _input(process: subprocess.Popen[bytes]) -> BinaryIO:
    return cast(BinaryIO, process.stdin)


def _close_input(process: subprocess.Popen[bytes]) -> None:
    # What was written to a process that died has nowhere to go.
    with contextlib.suppress(BrokenPipeError):
        _input(process).close()
