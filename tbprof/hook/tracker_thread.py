"""Tells the active trackers of each window, in a thread of its own: a network may take its time."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from tbprof.hook.trackers.mlflow import mlflow_runs
from tbprof.hook.trackers.tracker import ShownWindow, Tracker
from tbprof.hook.trackers.trackio import trackio_runs
from tbprof.hook.trackers.wandb import wandb_runs

logger = logging.getLogger("tbprof")

VARIABLE = "TBPROF_TRACKERS"
"""A variable of the environment: `0` keeps everything from trackers, whatever the hook was asked for."""

MOST_WAITING = 20
"""Windows for a tracker that does not answer; later ones are in the log directory alone."""


def active_trackers() -> tuple[Tracker, ...]:
    """The runs of this process; to be asked in the thread that trains, since MLflow and Trackio know runs by
    thread.
    """
    return (*wandb_runs(), *mlflow_runs(), *trackio_runs())


class TrackerThread:
    """For one run of the hook; asked by the thread that trains."""

    def __init__(self, *, is_wanted: bool) -> None:
        self._is_wanted = is_wanted and os.environ.get(VARIABLE) != "0"
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Sequence[Tracker], ShownWindow, Path]] = deque()
        self._thread: threading.Thread | None = None
        self._heard: dict[tuple[str, str], Tracker] = {}
        """Whom a window was given to, by package and run."""
        self._has_complained = False

    @property
    def is_at_work(self) -> bool:
        """Whether a window is being passed to a tracker."""
        return self._thread is not None

    def listeners(self) -> tuple[Tracker, ...]:
        """The runs that are under way, to be asked when a window is over: later there may be others."""
        return self._active() if self._is_wanted else ()

    def tell(self, window: ShownWindow, page: Path, listeners: Sequence[Tracker]) -> None:
        """Begin to pass it on, after the windows that are still being passed; then the page is removed."""
        with self._lock:
            if not listeners or len(self._waiting) >= MOST_WAITING:
                _remove(page)
                return
            self._waiting.append((listeners, window, page))
            if self._thread is None:
                self._start()

    def wait(self, wait_s: float) -> None:
        """Until all is passed on, or so many seconds."""
        thread = self._thread
        if thread is not None:
            thread.join(max(wait_s, 0.0))

    def leave(self) -> tuple[str, ...]:
        """The hook closes; what is to be said of what runs lack."""
        lacking: list[str] = []
        for one in tuple(self._heard.values()):
            self._try(one, partial(self._leave_one, one, lacking))
        return tuple(lacking)

    def _leave_one(self, tracker: Tracker, lacking: list[str]) -> None:
        if said := tracker.leave():
            lacking.append(f"{tracker.name}: {said}")

    def _start(self) -> None:
        thread = threading.Thread(target=self._tell_all, daemon=True, name="tbprof-trackers")
        try:
            thread.start()
        except RuntimeError as fault:
            # Python starts none any more when it ends, and the system none where there are too many.
            self._waiting.clear()
            self._complain("the trackers", fault)
        else:
            self._thread = thread

    def _active(self) -> tuple[Tracker, ...]:
        try:
            return active_trackers()
        except Exception as fault:  # noqa: BLE001 - of a package of others
            self._complain("the trackers", fault)
            return ()

    def _tell_all(self) -> None:
        while (first := self._first_waiting()) is not None:
            self._tell_each(*first)

    def _first_waiting(self) -> tuple[Sequence[Tracker], ShownWindow, Path] | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._thread = None
            return None

    def _tell_each(self, trackers: Sequence[Tracker], window: ShownWindow, page: Path) -> None:
        heard = [one for one in trackers if self._try(one, partial(one.log, window))]
        self._heard.update({(one.name, one.run_id): one for one in heard})
        for one in heard if page.is_file() else ():
            self._try(one, partial(one.add_page, page))
        _remove(page)

    def _try(self, tracker: Tracker, act: Callable[[], None]) -> bool:
        try:
            act()
        except Exception as fault:  # noqa: BLE001 - of a package of others
            self._complain(tracker.name, fault)
            return False
        return True

    def _complain(self, name: str, fault: Exception) -> None:
        """Once: what fails for one window fails for the next."""
        level = logging.DEBUG if self._has_complained else logging.WARNING
        self._has_complained = True
        logger.log(level, "%s could not be given a window: %s: %s", name, type(fault).__name__, fault)


def _remove(page: Path) -> None:
    with contextlib.suppress(OSError):
        page.unlink()
