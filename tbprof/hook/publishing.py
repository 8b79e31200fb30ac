"""The child processes that turn spooled windows into files of the log directory."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tbprof.hook.child_answers import (
    EMPTY_PREFIX,
    NEXT_LINE,
    NOT_SENT,
    PUBLISHED_PREFIX,
    SHOWN_PREFIX,
    VERDICT_PREFIX,
    WAITING_PREFIX,
)
from tbprof.hook.processes import process_name
from tbprof.hook.safety.guard import let_through
from tbprof.hook.safety.user_message import say
from tbprof.hook.spool import PUBLISHER_PREFIX, broken_path, log_path, page_path
from tbprof.hook.tracker_thread import TrackerThread
from tbprof.hook.trackers.tracker import Tracker, window_of_json
from tbprof.process.detached import Detached, start_detached
from tbprof.safe_open import add_line, content_within

logger = logging.getLogger("tbprof")

_MOST_LOG_BYTES = 16 * 1024 * 1024

_SPOKEN = f"%s{NEXT_LINE}To see it: tensorboard --logdir %s, or tbprof report %s"

MOST_CHILDREN = 2
"""At a time: windows that come faster than they are published wait in the spool."""

MOST_WAITING = 20
"""Windows that wait for their turn before no other begins: the spool must not grow without end."""

DEADLINE_S = 900.0
"""A publishing process gives up by itself well before that, unless a file system keeps hold of it."""


@dataclass(frozen=True, slots=True)
class _Running:
    process: Detached
    since_s: float


class Publisher:
    """Starts a child for each window and tells what became of it; never waits unasked."""

    def __init__(
        self,
        logdir: str,
        keep: Sequence[str] = (),
        held: Callable[[], tuple[int, ...]] = tuple,
        *,
        speaks: bool = True,
        place: str | None = None,
        telling: TrackerThread | None = None,
    ) -> None:
        """Nothing is started yet.

        Args:
            logdir: the run's folder.
            keep: the windows to keep, as the child gets them.
            held: gives the descriptors by which a child holds the spool folder, when we have ended.
            speaks: see the attribute.
            place: the log directory as a person knows it, where it is not this folder.
            telling: who else hears of each window.
        """
        self._logdir = logdir
        self._place = place or logdir
        self._keep = keep
        self._telling = TrackerThread(is_wanted=False) if telling is None else telling
        self._held = held
        self.speaks = speaks
        """Whether each window is named to a person: by one of many ranks, not by all."""
        self._waiting: deque[Path] = deque()
        self._running: dict[Path, _Running] = {}
        self._listeners: dict[Path, Sequence[Tracker]] = {}
        self._failed = 0
        self._not_sent: str | None = None
        self._has_said_behind = False
        self.gpu: str | None = None
        """The device of which the child asks the driver who else is on it; None: it does not ask."""
        self.published = 0
        self.lost = 0
        """Windows whose trace turned out not to be whole."""
        self.empty = 0
        """Published windows without the work of a GPU that is there."""

    @property
    def running(self) -> tuple[Path, ...]:
        """The traces that are being published."""
        return tuple(self._running)

    @property
    def is_at_work(self) -> bool:
        """Whether something of ours runs beside the training: processes that publish, or word to trackers."""
        return bool(self._running) or self._telling.is_at_work

    @property
    def unpublished(self) -> int:
        """Windows that stay in the spool: those that failed, and those whose turn has not come."""
        return self._failed + len(self._waiting)

    def why_not_sent(self) -> str | None:
        """What the store that windows are sent to has answered latest; None where nothing is known."""
        for trace in self._running:
            for line in reversed(_said(log_path(trace))):
                if line.startswith(WAITING_PREFIX):
                    return line.removeprefix(WAITING_PREFIX)
        return self._not_sent

    def keeps_up(self) -> bool:
        """Whether a window may begin; the first time that too many wait is logged."""
        if len(self._waiting) < MOST_WAITING:
            return True
        if not self._has_said_behind:
            self._has_said_behind = True
            logger.warning(
                "Windows come faster than they are published: %d wait, and the next ones begin later.",
                len(self._waiting),
            )
        return False

    def publish_own(self, trace: Path) -> None:
        """Publish a window that this process has just recorded; the trackers' runs of now hear of it."""
        self._listeners[trace] = self._telling.listeners()
        self.publish(trace)

    def publish(self, trace: Path) -> None:
        """Publish a trace in a process of its own, as soon as there is room for one."""
        self._waiting.append(trace)
        self.collect()

    def collect(self) -> None:
        """Look which children have ended, without waiting for any, and start those that are due."""
        for trace, running in list(self._running.items()):
            if running.process.has_ended():
                del self._running[trace]
                self._note_end(trace, running.process.exit_code)
            elif time.monotonic() - running.since_s > DEADLINE_S:
                del self._running[trace]
                self._let_go(trace, running.process)
        while self._waiting and len(self._running) < MOST_CHILDREN:
            self._start(self._waiting.popleft())

    def wait(self, wait_s: float) -> None:
        """Wait for the children and the trackers, at most `wait_s` seconds in all: no window follows."""
        deadline = time.monotonic() + wait_s
        self.collect()
        while self._running and time.monotonic() < deadline:
            longest = next(iter(self._running.values()))
            longest.process.wait(min(deadline, longest.since_s + DEADLINE_S) - time.monotonic())
            self.collect()
        self._telling.wait(deadline - time.monotonic())
        for lacking in self._telling.leave():
            say("%s.", lacking)

    def leave(self) -> None:
        """Let the running children go on by themselves, when this process will not ask again."""
        for running in self._running.values():
            running.process.leave()
        self._running.clear()

    def _start(self, trace: Path) -> None:
        try:
            self._running[trace] = _Running(self._start_logged(trace), time.monotonic())
        except OSError as error:
            let_through(error)
            if not trace.exists():
                self.lost += 1
                logger.warning("%s could not be published: it is gone", trace)
                return
            self._failed += 1
            logger.warning("%s could not be published now and waits for the next run: %s", trace, error)

    def _start_logged(self, trace: Path) -> Detached:
        gpu = () if self.gpu is None else ("--gpu", self.gpu, "--training", str(os.getpid()))
        shown = ("--shown", str(page_path(trace))) if self._listeners.get(trace) else ()
        process = start_child(trace, self._logdir, (*self._keep, *gpu, *shown), self._held())
        # Where folders have no locks, another run may else take the window over, and publish it twice.
        with contextlib.suppress(OSError):
            if process.pid is not None:
                add_line(log_path(trace), f"{PUBLISHER_PREFIX}{process_name(process.pid)}")
        return process

    def _let_go(self, trace: Path, process: Detached) -> None:
        process.leave()
        self._failed += 1
        logger.warning(
            "%s has not been published after %.0f s, and its process is no longer waited for: unless it still"
            " ends well, the window waits for the next run, or for: tbprof publish %s",
            trace,
            DEADLINE_S,
            self._place,
        )

    def _note_end(self, trace: Path, exit_code: int | None) -> None:
        log, listeners = log_path(trace), self._listeners.pop(trace, ())
        if exit_code == 0:
            self._tell(log, page_path(trace), listeners)
        elif exit_code == NOT_SENT:
            reason = _reason(log, exit_code)
            self._not_sent = reason.partition("; the window waits")[0]
            logger.warning("%s", reason)
        if exit_code == 0 or not _stays(trace):
            # What failed after the window was there is none of the training's business.
            self.published += 1
            with contextlib.suppress(OSError):
                log.unlink()
            return
        if trace.exists():
            self._failed += 1
        else:
            self.lost += 1
        logger.warning("%s could not be published: %s", trace, _reason(log, exit_code))

    def _tell(self, log: Path, page: Path, listeners: Sequence[Tracker]) -> None:
        """Say what the window showed, and how to open it."""
        said = _said(log)
        published = next((line for line in said if line.startswith(PUBLISHED_PREFIX)), "")
        opening = (self._place, published.removeprefix(PUBLISHED_PREFIX))
        for line in said:
            if line.startswith(EMPTY_PREFIX):
                self.empty += 1
                logger.warning(_SPOKEN, line, *opening)
            elif line.startswith(VERDICT_PREFIX):
                say(_SPOKEN, line, *opening) if self.speaks else logger.debug(_SPOKEN, line, *opening)
            elif line.startswith(SHOWN_PREFIX):
                with contextlib.suppress(ValueError, TypeError):
                    self._telling.tell(window_of_json(line.removeprefix(SHOWN_PREFIX)), page, listeners)


def _stays(trace: Path) -> bool:
    """Whether a trace is still in the spool, where it is removed from once its window is published."""
    return trace.exists() or broken_path(trace).exists()


def _said(log: Path) -> list[str]:
    """The lines that the child wrote; one that goes on in others is joined with them."""
    try:
        text = content_within(log, _MOST_LOG_BYTES).decode("utf-8", errors="replace")
    except OSError:
        return []
    lines: list[str] = []
    for line in text.splitlines():
        if lines and line.startswith(NEXT_LINE.lstrip("\n")):
            lines[-1] += f"\n{line}"
        else:
            lines.append(line)
    return [line for line in lines if line and not line.startswith(PUBLISHER_PREFIX)]


def _reason(log: Path, exit_code: int | None) -> str:
    """The last line that the child wrote, which is its error."""
    said = _said(log)
    if said:
        return said[-1].removeprefix("tbprof: ")
    if exit_code is None:
        return "the publishing process was ended from outside, by a lack of memory for one, and said nothing"
    return f"the publishing process ended with code {exit_code} and said nothing"


def start_child(trace: Path, logdir: str, arguments: Sequence[str], held: Sequence[int] = ()) -> Detached:
    """Start `tbprof publish` for a spooled trace; what it says is added to the trace's log.

    Args:
        trace: the spooled trace; its folder is where the process works.
        logdir: the run's folder.
        arguments: further options of the command.
        held: file descriptors that it keeps open, on systems that can hand them down.

    Raises:
        OSError: the system can't start a process now, or this program is no Python.
    """
    return start_detached(
        "tbprof",
        ["publish", str(trace), "--logdir", logdir, *arguments],
        folder=trace.parent,
        output=log_path(trace),
        # What it says is read back from its log.
        variables={"PYTHONIOENCODING": "utf-8:backslashreplace"},
        held=held,
    )
