"""The process that reads traces for the tab: `python -m tbprof.plugin.worker.main`.

Each line of its input is a JSON object `{"id", "path", "ask", "parameters"}`; `ask` is one of
`worker_answers.ANSWERS`, its parameters are all text. For each it writes lines of JSON:
`{"read_bytes", "total_bytes"}` while it reads the trace, then `{"id", "size"}` and so many
bytes, the answer; or `{"id", "error", "kind"}`, a sentence and the name of its error. It ends
with its input, at once: the processes that it started to read with it end, too.
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
from queue import SimpleQueue
from typing import BinaryIO

from tbprof.errors import TbprofError
from tbprof.plugin.worker.answers import ANSWERS, Traces

__all__ = ["serve"]

_TELL_EVERY_S = 0.2
_LOW_PRIORITY = 10


def serve(asked: Iterable[bytes], told: BinaryIO) -> None:
    """Answer until the input ends."""
    traces = Traces(_telling(told))
    for line in asked:
        question = json.loads(line)
        path, number = question["path"], question["id"]
        try:
            answer = ANSWERS[question["ask"]](traces, path, question["parameters"])
        except TbprofError as error:
            _tell(told, {"id": number, "error": str(error), "kind": type(error).__name__})
        except MemoryError:
            sentence = f"{path} does not fit into this machine's memory"
            _tell(told, {"id": number, "error": sentence, "kind": "MemoryError"})
        except Exception as error:  # noqa: BLE001 - one bad trace must not cost those asked for after it
            fault = f"this is a fault of tbprof's ({type(error).__name__}: {error})"
            _tell(told, {"id": number, "error": f"{path} can't be shown; {fault}", "kind": "fault"})
        else:
            _tell(told, {"id": number, "size": len(answer)}, answer)


def _telling(told: BinaryIO) -> Callable[[int, int], None]:
    last = time.monotonic()

    def tell(read_bytes: int, total_bytes: int) -> None:
        nonlocal last
        if time.monotonic() - last > _TELL_EVERY_S:
            last = time.monotonic()
            _tell(told, {"read_bytes": read_bytes, "total_bytes": total_bytes})

    return tell


def _tell(told: BinaryIO, message: Mapping[str, object], content: bytes = b"") -> None:
    told.write(json.dumps(message).encode() + b"\n" + content)
    told.flush()


def _lines(asked: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of the input, whose end interrupts what is being answered."""
    waiting: SimpleQueue[bytes | None] = SimpleQueue()

    def listen() -> None:
        for line in asked:
            waiting.put(line)
        waiting.put(None)
        _interrupt()

    threading.Thread(target=listen, daemon=True).start()
    while (line := waiting.get()) is not None:
        yield line
    # From here on there is nothing to interrupt.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _interrupt() -> None:
    """As Ctrl-C does, which is the way of Python to end what it reads, with the processes started for it."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        # It wakes a thread that waits for another process.
        signal.pthread_kill(main, signal.SIGINT)
    else:
        interrupt_main()


if __name__ == "__main__":
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_LOW_PRIORITY)
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        # A TensorBoard that runs in the background hands on that Ctrl-C is ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # Without a buffer: Python's end waits for the lock of one that a thread reads.
        serve(_lines(io.FileIO(0, closefd=False)), sys.stdout.buffer)
