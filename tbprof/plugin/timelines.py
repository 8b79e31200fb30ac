"""Answers for timelines, from a process of their own.

A trace stays open there, so that a tile takes milliseconds; and reading one, which takes
seconds, holds up neither TensorBoard nor the reports of other traces.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from tbprof.errors import TraceError, UsageError
from tbprof.plugin.analyses import Reading
from tbprof.plugin.child import close_input, start_worker

__all__ = ["Timelines"]

_WAITING = 256
"""Questions without an answer, or with one that nobody took; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class _Question:
    number: int
    process: subprocess.Popen[bytes]
    since: float = field(default_factory=time.monotonic)
    done: threading.Event = field(default_factory=threading.Event)
    answer: list[bytes | str] = field(default_factory=list)
    """Once it is there: bytes, or the sentence of an error."""


class Timelines:
    """All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._questions: OrderedDict[str, _Question] = OrderedDict()
        self._process: subprocess.Popen[bytes] | None = None
        self._progress = (0, 0)
        """Bytes read of the trace that is being read, and its size; both 0 before that is known."""

    def ask(
        self, path: str, ask: str, parameters: Mapping[str, str], *, patience_s: float = 0.3
    ) -> bytes | Reading:
        """The answer, or how far its trace has been read after so many seconds.

        Raises:
            TraceError: There is none; the message says why.
            UsageError: The process that answers can't be started.
        """
        text = json.dumps({"path": path, "ask": ask, **parameters})
        with self._lock:
            question = self._questions.get(text)
            if question is None:
                question = self._send(text)
        if not question.done.wait(patience_s):
            # The answer is there when it is asked for again.
            return Reading(*self._progress, question.since)
        with self._lock:
            self._questions.pop(text, None)
        [answer] = question.answer
        if isinstance(answer, str):
            raise TraceError(answer)
        return answer

    def _send(self, text: str) -> _Question:
        """Called with the lock held."""
        try:
            process = self._running()
            assert process.stdin is not None, "it was started with a pipe"
            question = _Question(next(self._numbers), process)
            line = json.dumps({"id": question.number, **json.loads(text)})
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        except OSError as error:
            raise UsageError(f"the process that shows timelines can't be asked ({error})") from error
        self._questions[text] = question
        while len(self._questions) > _WAITING:
            self._questions.popitem(last=False)
        return question

    def _running(self) -> subprocess.Popen[bytes]:
        """The process, which is started where there is none; called with the lock held."""
        if self._process is None or self._process.poll() is not None:
            self._process = start_worker("tbprof.plugin.timeline_worker")
            self._progress = (0, 0)
            threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        return self._process

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take what the process tells until it ends; then nothing that it was asked has an answer."""
        assert process.stdout is not None, "it was started with a pipe"
        with process.stdout as told:
            for line in told:
                message = json.loads(line)
                if "read_bytes" in message:
                    self._progress = (message["read_bytes"], message["total_bytes"])
                elif "size" in message:
                    self._finish(message["id"], told.read(message["size"]))
                else:
                    self._finish(message["id"], message["error"])
        code = process.wait()
        with self._lock:
            close_input(process)
            numbers = [asked.number for asked in self._questions.values() if asked.process is process]
            self._process = None if self._process is process else self._process
        for number in numbers:
            self._finish(number, f"the process that read it ended with code {code}: it may need more memory")

    def _finish(self, number: int, answer: bytes | str) -> None:
        with self._lock:
            mine = [question for question in self._questions.values() if question.number == number]
        for question in mine:
            if not question.done.is_set():
                question.answer.append(answer)
                question.done.set()
