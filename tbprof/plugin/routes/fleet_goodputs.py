"""The share of all runs' time that was steps, asked of a process while somebody looks at the list."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from threading import RLock

from tbprof.errors import TbprofError
from tbprof.plugin.worker.kept import Answer, Key
from tbprof.plugin.worker.pool import Job, Pool, Priority, Task
from tbprof.process.answering import Question
from tbprof.safe_open import FileState, file_state
from tbprof.store.run_times import run_time_files
from tbprof.views.fleet_entries import FleetWindow

_MOST_RUNS = 256
"""Runs of one question."""
_DEADLINE_S = 60.0

_State = tuple[FileState, ...]


class FleetGoodputs:
    """The runs of one log directory; all methods may be called from any thread."""

    def __init__(self, pool: Pool) -> None:
        """Nothing is read or started yet."""
        self._pool = pool
        self._lock = RLock()
        self._known: dict[str, tuple[_State, float | None]] = {}
        self._is_asked = False

    def of(self, windows: Sequence[FleetWindow]) -> tuple[dict[str, float], int]:
        """What is known by now, by run, and of how many windows more is."""
        paths = {row.window.run: row.window.report_path or row.window.trace_path for row in windows}
        with self._lock:
            missing: dict[str, tuple[str, _State]] = {}
            for run, path in paths.items():
                folder = Path(path or "").parent
                state = _state_of(folder) if path else ()
                if state and self._known.get(run, ((), None))[0] != state:
                    missing[run] = str(folder), state
            if missing and not self._is_asked:
                self._ask(dict(list(missing.items())[:_MOST_RUNS]))
            found = {
                run: share for run in paths if (share := self._known.get(run, ((), None))[1]) is not None
            }
            return found, sum(row.window.run in missing for row in windows)

    def _ask(self, asked: Mapping[str, tuple[str, _State]]) -> None:
        folders = json.dumps({run: folder for run, (folder, _) in asked.items()})
        question = Question("the runs", "goodputs", {"folders": folders})
        job = self._pool.begin(Task(Key("goodputs", ()), question, Priority.SUMMARY, _DEADLINE_S))
        assert isinstance(job, Job), "nothing is kept of these answers there"
        self._is_asked = True
        job.answer.add_done_callback(partial(self._take, asked))

    def _take(self, asked: Mapping[str, tuple[str, _State]], answer: Future[Answer]) -> None:
        if answer.cancelled():
            # Nothing is read any more.
            return
        with self._lock:
            self._is_asked = False
            try:
                found = json.loads(answer.result().content)
            except TbprofError:
                found = {}
            for run, (_, state) in asked.items():
                self._known[run] = state, found.get(run)


def _state_of(folder: Path) -> _State:
    states = []
    for path in run_time_files(folder):
        try:
            states.append(file_state(path.stat(follow_symlinks=False)))
        except OSError:
            continue
    return tuple(states)
