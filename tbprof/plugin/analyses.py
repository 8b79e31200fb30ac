"""Traces that have no report yet, read one after the other in a process of their own.

TensorBoard's process stays free for its other tabs: reading holds the interpreter for
seconds. A trace that several people ask for is read once. The process starts with the first
trace, and again when it died; its death costs the trace it was reading.
"""

from __future__ import annotations

import base64
import json
import subprocess
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tbprof.errors import TbprofError, UsageError
from tbprof.model import Report
from tbprof.plugin.child import close_input, start_worker
from tbprof.store.codec import decode_report

__all__ = ["MAX_WAITING", "Analyses", "Failed", "Reading", "State"]

MAX_WAITING = 64
"""Traces that may wait to be read; one more is refused."""

_RETRY_AFTER_S = 10.0
"""A process that died may have been short of memory for a moment only."""

_KEPT = 32
"""Finished reports, and failures, that are remembered."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A trace that waits, or is being read."""

    read_bytes: int
    total_bytes: int
    since: float
    """`time.monotonic()` of the first request."""


@dataclass(frozen=True, slots=True)
class Failed:
    sentence: str
    retry_at: float = float("inf")
    """`time.monotonic()` from which on another try may do better."""


State: TypeAlias = Reading | Failed | Report
_Key: TypeAlias = tuple[str, int, int]
"""Path, size and time of the last change: a file that changed is read anew."""


class Analyses:
    """The queue, and what became of it; all methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: OrderedDict[_Key, Reading] = OrderedDict()
        self._finished: OrderedDict[_Key, Report | Failed] = OrderedDict()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, path: str) -> tuple[State, int]:
        """The state of a trace, which is queued if it is new; and how many are before it.

        Raises:
            UsageError: The queue is full; ask again later.
        """
        key = _key(path)
        with self._lock:
            known = self._finished.get(key)
            if known is not None and not _is_outdated(known):
                self._finished.move_to_end(key)
                return known, 0
            if key not in self._waiting:
                if len(self._waiting) >= MAX_WAITING:
                    raise UsageError(f"{MAX_WAITING} traces are waiting to be read: try again in a minute")
                self._waiting[key] = Reading(0, key[1], time.monotonic())
                if len(self._waiting) == 1:
                    self._start_next()
            return self._waiting[key], list(self._waiting).index(key)

    def _start_next(self) -> None:
        """Hand the first that waits to the process. Called with the lock held."""
        while self._waiting:
            key = next(iter(self._waiting))
            try:
                self._send(key[0])
            except OSError as error:
                self._process = None
                self._finish(key, Failed(f"the process that reads traces did not start ({error})"))
            else:
                return

    def _send(self, path: str) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            process = start_worker("tbprof.plugin.worker")
            self._process = process
            threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        assert process.stdin is not None, "it was started with a pipe"
        process.stdin.write(json.dumps({"path": path}).encode() + b"\n")
        process.stdin.flush()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take what the process tells until it ends; then blame its end on what it was reading."""
        assert process.stdout is not None, "it was started with a pipe"
        with process.stdout:
            for line in process.stdout:
                self._take(json.loads(line))
        code = process.wait()
        with self._lock:
            close_input(process)
            if self._process is process:
                self._process = None
                if self._waiting:
                    sentence = f"the process that read it ended with code {code}: it may need more memory"
                    failed = Failed(sentence, time.monotonic() + _RETRY_AFTER_S)
                    self._finish(next(iter(self._waiting)), failed)
                    self._start_next()

    def _take(self, message: dict[str, str | int]) -> None:
        with self._lock:
            key = next(iter(self._waiting))
            if "read_bytes" in message:
                since = self._waiting[key].since
                self._waiting[key] = Reading(int(message["read_bytes"]), int(message["total_bytes"]), since)
                return
            self._finish(key, _result(message))
            self._start_next()

    def _finish(self, key: _Key, result: Report | Failed) -> None:
        del self._waiting[key]
        self._finished[key] = result
        while len(self._finished) > _KEPT:
            self._finished.popitem(last=False)


def _is_outdated(known: Report | Failed) -> bool:
    return isinstance(known, Failed) and time.monotonic() >= known.retry_at


def _result(message: dict[str, str | int]) -> Report | Failed:
    if "error" in message:
        return Failed(str(message["error"]))
    try:
        return decode_report(base64.b64decode(str(message["report"])), name=str(message["path"]))
    except TbprofError as error:
        return Failed(str(error))


def _key(path: str) -> _Key:
    try:
        status = Path(path).stat()
    except OSError as error:
        raise UsageError(f"{path} is gone or can't be read ({error.strerror})") from error
    return path, status.st_size, status.st_mtime_ns
