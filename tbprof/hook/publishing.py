"""The child processes that turn spooled windows into files of the log directory."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from tbprof.hook.processes import process_name
from tbprof.hook.publish_child import start_child
from tbprof.hook.spool import PUBLISHER_PREFIX, log_path

__all__ = ["Publisher"]

logger = logging.getLogger("tbprof")

VERDICT_PREFIX = "window"
"""Starts the child's line about the window that it has published."""

MOST_CHILDREN = 2
"""At a time: windows that come faster than they are published wait in the spool."""


class Publisher:
    """Starts a child for each window and tells what became of it; never waits unasked."""

    def __init__(self, logdir: str, keep: Sequence[str] = ()) -> None:
        self._logdir = logdir
        self._keep = keep
        self._waiting: deque[Path] = deque()
        self._running: dict[Path, subprocess.Popen[bytes]] = {}
        self._failed = 0
        self.published = 0

    @property
    def running(self) -> tuple[Path, ...]:
        """The traces that are being published."""
        return tuple(self._running)

    @property
    def unpublished(self) -> int:
        """Windows that stay in the spool: those that failed, and those whose turn has not come."""
        return self._failed + len(self._waiting)

    def publish(self, trace: Path) -> None:
        """Publish a trace in a process of its own, as soon as there is room for one."""
        self._waiting.append(trace)
        self.collect()

    def collect(self) -> None:
        """Look which children have ended, without waiting for any, and start those that are due."""
        for trace, process in list(self._running.items()):
            if process.poll() is not None:
                del self._running[trace]
                self._note_end(trace, process.returncode)
        while self._waiting and len(self._running) < MOST_CHILDREN:
            self._start(self._waiting.popleft())

    def wait(self, wait_s: float) -> None:
        """Wait for the children, at most `wait_s` seconds in all."""
        deadline = time.monotonic() + wait_s
        self.collect()
        with contextlib.suppress(subprocess.TimeoutExpired):
            while self._running:
                longest = next(iter(self._running.values()))
                longest.wait(max(0.0, deadline - time.monotonic()))
                self.collect()

    def leave(self) -> None:
        """Let the running children go on by themselves, when this process will not ask again."""
        for process in self._running.values():
            # Else Popen would warn that a child outlives it, which is meant here.
            process.returncode = 0
        self._running.clear()

    def _start(self, trace: Path) -> None:
        try:
            with log_path(trace).open("ab") as output:
                process = start_child(trace, self._logdir, self._keep, output.fileno())
                output.write(f"{PUBLISHER_PREFIX}{process_name(process.pid)}\n".encode())
        except OSError as error:
            self._failed += 1
            logger.warning("%s could not be published now and waits for the next run: %s", trace, error)
            return
        self._running[trace] = process

    def _note_end(self, trace: Path, exit_code: int) -> None:
        log = log_path(trace)
        if exit_code == 0:
            self.published += 1
            self._tell(log)
            log.unlink(missing_ok=True)
            return
        self._failed += 1
        logger.warning("%s could not be published: %s", trace, _reason(log, exit_code))

    def _tell(self, log: Path) -> None:
        """Say in the training's log what the window showed."""
        for line in _said(log):
            if line.startswith(VERDICT_PREFIX):
                logger.info("%s; tensorboard --logdir %s", line, self._logdir)


def _said(log: Path) -> list[str]:
    """The lines that the child wrote."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line for line in lines if line and not line.startswith(PUBLISHER_PREFIX)]


def _reason(log: Path, exit_code: int) -> str:
    """The last line that the child wrote, which is its error."""
    said = _said(log)
    if not said:
        return f"the publishing process ended with code {exit_code} and said nothing"
    return said[-1].removeprefix("tbprof: ")
