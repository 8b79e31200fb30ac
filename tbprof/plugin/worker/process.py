"""A process of its own that reads traces: asked by any thread, started when it is first asked.

TensorBoard's process stays free for its other tabs, since reading holds the interpreter for
seconds. The process ends with the pipe through which it is asked, so however TensorBoard ends,
it leaves none behind; when it died, the next question starts another.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias, cast

from tbprof.errors import Busy, Gone, TbprofError, TraceError, UsageError
from tbprof.folders import PACKAGE

__all__ = ["Answer", "Ended", "Question", "WorkerProcess"]

_END_S = 5.0
_KINDS: Mapping[str, type[TbprofError]] = {kind.__name__: kind for kind in (Busy, Gone, UsageError)}
"""Errors that mean something other than a trace that gives nothing."""


@dataclass(frozen=True, slots=True)
class Question:
    path: str
    ask: str
    """One of `worker_answers.ANSWERS`."""
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ended:
    """The process ended before it answered."""

    code: int

    @property
    def sentence(self) -> str:
        return f"the process that read it ended with code {self.code}: it may need more memory"


Answer: TypeAlias = bytes | TbprofError | Ended


@dataclass(frozen=True, slots=True)
class _Asked:
    process: subprocess.Popen[bytes]
    answered: Callable[[Answer], None]


class WorkerProcess:
    """All methods may be called from any thread; what they call back comes from another one."""

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        """`progress` is called with the bytes read of the trace that is being read, and its size."""
        self._progress = progress
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._asked: dict[int, _Asked] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._listener: threading.Thread | None = None
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The number of the process that runs; None where none does."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def ask(self, question: Question, answered: Callable[[Answer], None]) -> None:
        """Send a question; `answered` is called once, with what becomes of it.

        Raises:
            Busy: There is no process to ask now.
        """
        with self._lock:
            if self._is_closed:
                raise Busy("TensorBoard is ending")
            number = next(self._numbers)
            try:
                process = self._running()
                self._asked[number] = _Asked(process, answered)
                _write(process, {"id": number, **dataclasses.asdict(question)})
            except OSError as error:
                self._asked.pop(number, None)
                raise Busy(f"the process that reads traces can't be asked ({error}): try again") from error

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
            self._process = _start()
            self._listener = threading.Thread(target=self._listen, args=(self._process,), daemon=True)
            self._listener.start()
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take what the process tells until it ends; then nothing that it was asked has an answer."""
        with cast(BinaryIO, process.stdout) as told:
            for line in told:
                message = json.loads(line)
                if "read_bytes" in message:
                    self._progress(message["read_bytes"], message["total_bytes"])
                elif "size" in message:
                    self._finish(message["id"], told.read(message["size"]))
                else:
                    kind = _KINDS.get(message["kind"], TraceError)
                    self._finish(message["id"], kind(message["error"]))
        code = process.wait()
        with self._lock:
            _close_input(process)
            self._process = None if self._process is process else self._process
            lost = [number for number, asked in self._asked.items() if asked.process is process]
        for number in lost:
            self._finish(number, Ended(code))

    def _finish(self, number: int, answer: Answer) -> None:
        with self._lock:
            asked = self._asked.pop(number)
        asked.answered(answer)


def _start() -> subprocess.Popen[bytes]:
    """Start it out of sight of any GPU.

    Raises:
        OSError: It can't be started.
    """
    # The folder that TensorBoard was started in may hold a numpy.py: it must not be imported.
    isolation = ["-P"] if sys.version_info >= (3, 11) else []
    return subprocess.Popen(
        [sys.executable, *isolation, "-m", "tbprof.plugin.worker.main"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=PACKAGE.parent,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )


def _write(process: subprocess.Popen[bytes], question: Mapping[str, object]) -> None:
    asking = cast(BinaryIO, process.stdin)
    asking.write(json.dumps(question).encode() + b"\n")
    asking.flush()


def _close_input(process: subprocess.Popen[bytes]) -> None:
    # What was written to a process that died has nowhere to go.
    with contextlib.suppress(BrokenPipeError):
        cast(BinaryIO, process.stdin).close()
