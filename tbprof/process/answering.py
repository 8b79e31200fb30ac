"""What a worker runs: it answers question after question, whatever becomes of each.

It ends with its input, at once: the processes that it started to answer with end, too.

What goes through the pipes between a worker and the process that asks it.

Each message is a line of JSON. A question is `{"id", "path", "ask", "parameters"}`, with a `"size"` where
so many bytes go with it, after the line. A worker tells `{"read_bytes", "total_bytes"}` while it reads, then
`{"id", "size"}` with so many bytes after the line, which are the answer; or `{"id", "error", "kind"}`,
a sentence and the name of its error.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
import time
from _thread import interrupt_main
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeAlias, cast

from tbprof.errors import TbprofError, TraceError
from tbprof.process.memory_limit import limit_memory


@dataclass(frozen=True, slots=True)
class Question:
    path: str
    """The path of the file that it is about."""
    ask: str
    """What is asked of it."""
    parameters: Mapping[str, str]
    content: bytes = b""
    """What goes with it, if that is much."""


def send(pipe: BinaryIO, message: Mapping[str, object], content: bytes | None = None) -> None:
    """Write a message, with the bytes that follow it.

    Raises:
        OSError: The other process has ended.
    """
    size = {} if content is None else {"size": len(content)}
    pipe.write(json.dumps({**message, **size}).encode() + b"\n" + (content or b""))
    pipe.flush()


def received(pipe: BinaryIO) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Each message with the bytes that follow it, until the other process ends; not one that it broke off."""
    for line in pipe:
        if not line.endswith(b"\n"):
            return
        message = json.loads(line)
        size = message.get("size", 0)
        content = pipe.read(size)
        if len(content) < size:
            return
        yield message, content


TELL_EVERY_S = 0.2
_INTERRUPT_AGAIN_S = 1.0
_LOW_PRIORITY = 10
_PIPE_BYTES = 65_536
"""What one holds at most."""

_Request: TypeAlias = tuple[dict[str, Any], bytes]

Handler: TypeAlias = Callable[[Callable[[int, int], None]], Callable[[Question], bytes]]
"""Makes, of a function to tell progress to, one that answers; the latter may raise whatever it meets."""


def main(handler: Handler, *, niceness: int = _LOW_PRIORITY, more_memory_bytes: int | None = None) -> None:
    """Answer on stdout what stdin asks until it ends; what is printed goes to stderr.

    Args:
        handler: See `Handler`.
        niceness: What is added to that of the process; by default others come first.
        more_memory_bytes: That the process can have from now on; by default as much as there is.
    """
    if more_memory_bytes is not None:
        limit_memory(more_memory_bytes)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(niceness)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        # A parent that runs in the background hands on that Ctrl-C is ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        requests = received(cast(BinaryIO, _Unlocked(io.FileIO(0, closefd=False))))
        stdout, sys.stdout = sys.stdout.buffer, sys.stderr
        serve(_interrupting(requests), stdout, handler)


def serve(requests: Iterable[_Request], stdout: BinaryIO, handler: Handler) -> None:
    """Answer until the questions end."""
    answer = handler(_progress_to(stdout))
    for message, content in requests:
        number = message["id"]
        question = Question(message["path"], message["ask"], message["parameters"], content)
        try:
            answered = _answered(answer, question)
        except TbprofError as error:
            send(stdout, {"id": number, "error": str(error), "kind": type(error).__name__})
        else:
            send(stdout, {"id": number}, answered)


class _Unlocked:
    """A buffered file without the lock of Python's own: its end waits for that while a thread reads."""

    def __init__(self, file: io.FileIO) -> None:
        self._file = file
        self._held = bytearray()

    def __iter__(self) -> Iterator[bytes]:
        while line := self._line():
            yield line

    def read(self, size: int) -> bytes:
        while len(self._held) < size and self._more():
            pass
        return self._taken(size)

    def _line(self) -> bytes:
        seen = 0
        while (end := self._held.find(b"\n", seen)) < 0:
            seen = len(self._held)
            if not self._more():
                return self._taken(seen)
        return self._taken(end + 1)

    def _more(self) -> bool:
        data = self._file.read(_PIPE_BYTES)
        self._held += data
        return bool(data)

    def _taken(self, size: int) -> bytes:
        data = bytes(self._held[:size])
        del self._held[:size]
        return data


def _answered(answer: Callable[[Question], bytes], question: Question) -> bytes:
    try:
        return answer(question)
    except TbprofError:
        raise
    except MemoryError as error:
        raise TraceError(f"{question.path} does not fit into this machine's memory") from error
    except Exception as error:
        # One bad trace must not cost those asked for after it.
        fault = f"this is a fault of tbprof's ({type(error).__name__}: {error})"
        raise TraceError(f"{question.path} can't be shown; {fault}") from error


def _progress_to(stdout: BinaryIO) -> Callable[[int, int], None]:
    last = time.monotonic()

    def tell(read_bytes: int, total_bytes: int) -> None:
        nonlocal last
        if time.monotonic() - last > TELL_EVERY_S:
            last = time.monotonic()
            send(stdout, {"read_bytes": read_bytes, "total_bytes": total_bytes})

    return tell


def _interrupting(messages: Iterable[_Request]) -> Iterator[_Request]:
    """The messages, whose end interrupts what is being answered."""
    waiting: SimpleQueue[_Request | None] = SimpleQueue()
    is_over = threading.Event()

    def listen() -> None:
        for message in messages:
            waiting.put(message)
        waiting.put(None)
        while not is_over.is_set():
            _interrupt()
            # Python drops an interrupt that comes while it calls back for an object that goes.
            is_over.wait(_INTERRUPT_AGAIN_S)

    threading.Thread(target=listen, daemon=True).start()
    try:
        while (message := waiting.get()) is not None:
            yield message
    finally:
        # From here on there is nothing to interrupt.
        is_over.set()
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt() -> None:
    """Interrupt as Ctrl-C does, which is the way of Python to end what it reads, with the processes started
    for it.
    """
    main_thread = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main_thread is not None:
        # It wakes a thread that waits for another process.
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        interrupt_main()
