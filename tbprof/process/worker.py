"""A process of its own that is asked by any thread, and started when it is first asked.

The process that asks stays free, since reading a trace holds the interpreter for seconds. The worker ends
with the pipe through which it is asked, so however its parent ends, it leaves none behind; when it died,
the next question starts another.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import BinaryIO, cast

from tbprof import errors
from tbprof.errors import Busy, ReadingEnded, TbprofError, TraceError
from tbprof.process.isolated import start_python
from tbprof.process.messages import Question, received, send

__all__ = ["Worker"]

_END_S = 5.0


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
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._asked: dict[int, tuple[subprocess.Popen[bytes], Future[bytes]]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._listener: threading.Thread | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The number of the process that runs; None where none does."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def ask(self, question: Question) -> Future[bytes]:
        """The answer to come, or the `TbprofError` that it ends with: `ReadingEnded` where the process does.

        Raises:
            Busy: There is no process to ask now.
        """
        with self._lock:
            if self._is_closed:
                raise Busy("no more is read: the process that asks is ending")
            number = next(self._numbers)
            try:
                process = self._running()
                send(_input(process), {"id": number, **dataclasses.asdict(question)})
            except OSError as error:
                raise Busy(f"the process that reads traces can't be asked ({error}): try again") from error
            _, answer = self._asked[number] = process, Future()
            return answer

    def close(self) -> None:
        """End the process, and wait for its end."""
        with self._lock:
            self._is_closed = True
            process, listener = self._process, self._listener
        if process is None or listener is None:
            return
        _close_input(process)
        listener.join(_END_S)
        process.kill()
        listener.join()

    def _running(self) -> subprocess.Popen[bytes]:
        """The process, which is started where there is none; called with the lock held."""
        if self._process is None or self._process.poll() is not None:
            self._process = start_python(self._module, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
            self._listener.start()
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take what the process tells until it ends; then nothing that it was asked has an answer."""
        with cast(BinaryIO, process.stdout) as told:
            for message, content in received(told):
                if "read_bytes" in message:
                    self._progress(message["read_bytes"], message["total_bytes"])
                elif "size" in message:
                    self._answer(message["id"]).set_result(content)
                else:
                    # Its program may have been updated meanwhile, and know of more.
                    kind: type[TbprofError] = getattr(errors, message["kind"], TraceError)
                    self._answer(message["id"]).set_exception(kind(message["error"]))
        code = process.wait()
        with self._lock:
            _close_input(process)
            self._process = None if self._process is process else self._process
            lost = [number for number, (asked, _) in self._asked.items() if asked is process]
        sentence = f"the process that read it ended with code {code}: it may need more memory"
        for number in lost:
            self._answer(number).set_exception(ReadingEnded(sentence))

    def _answer(self, number: int) -> Future[bytes]:
        with self._lock:
            return self._asked.pop(number)[1]


def _input(process: subprocess.Popen[bytes]) -> BinaryIO:
    return cast(BinaryIO, process.stdin)


def _close_input(process: subprocess.Popen[bytes]) -> None:
    # What was written to a process that died has nowhere to go.
    with contextlib.suppress(BrokenPipeError):
        _input(process).close()
