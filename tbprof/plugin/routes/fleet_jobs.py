"""What the jobs among all runs say first, from reports alone, asked for while somebody looks at the list."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from threading import RLock

from tbprof.errors import Busy, TbprofError
from tbprof.plugin.worker.kept import Answer, Key
from tbprof.plugin.worker.pool import Job, Pool, Priority, Task
from tbprof.plugin.worker.window_messages import AskedWindow, packed_windows
from tbprof.process.answering import Question
from tbprof.store.kept_summaries import FileIdentity, KeptSummaries, identity_of_windows
from tbprof.views.fleet_entries import FleetWindow, runs_of_ranks
from tbprof.views.job.job_first import JOB_FORM, NO_JOB, JobFirst, first_of_document

_DEADLINE_S = 60.0


class FleetJobs:
    """The jobs of one log directory; all methods may be called from any thread."""

    def __init__(self, place: str, pool: Pool, asked: Callable[[FleetWindow], AskedWindow]) -> None:
        """Nothing is read or started yet.

        Args:
            place: The log directory, in full.
            pool: Reads the reports.
            asked: How a window is asked for: its report may be in memory alone.
        """
        self._pool = pool
        self._asked = asked
        self._kept = KeptSummaries(place, JOB_FORM)
        self._lock = RLock()
        self._known: dict[str, tuple[FileIdentity, JobFirst]] = {}
        self._waiting: dict[str, tuple[FileIdentity, Sequence[FleetWindow]]] = {}
        self._is_asked = False

    def of(self, windows: Sequence[FleetWindow]) -> tuple[dict[str, JobFirst], int]:
        """What is known by now, by run, and of how many windows more is; these are asked for run by run."""
        with self._lock:
            self._kept.refresh()
            self._waiting = {}
            found, left = dict[str, JobFirst](), 0
            for run, rows in runs_of_ranks(windows):
                first = self._of(run, rows)
                if first is None:
                    left += len(rows)
                else:
                    found[run] = first
            self._ask()
            return found, left

    def _of(self, run: str, rows: Sequence[FleetWindow]) -> JobFirst | None:
        try:
            identity = identity_of_windows(row.window for row in rows)
        except OSError:
            # The list says so of its row.
            return NO_JOB
        known = self._known.get(run)
        if known is not None and known[0] == identity:
            return known[1]
        document = self._kept.get(run, identity)
        if document is None:
            self._waiting[run] = identity, rows
            return None
        self._known[run] = identity, first_of_document(document)
        return self._known[run][1]

    def _ask(self) -> None:
        """Put the next run to the process; called with the lock held."""
        if self._is_asked or not self._waiting:
            return
        run = next(iter(self._waiting))
        identity, rows = self._waiting.pop(run)
        windows = packed_windows([self._asked(row) for row in rows])
        question = Question(run, "job_first", {"windows": windows})
        task = Task(Key("job_first", (run,)), question, Priority.SUMMARY, _DEADLINE_S)
        job = self._pool.begin(task)
        assert isinstance(job, Job), "nothing is kept of these answers there"
        self._is_asked = True
        job.answer.add_done_callback(partial(self._take, run, identity))

    def _take(self, run: str, identity: FileIdentity, answer: Future[Answer]) -> None:
        if answer.cancelled():
            # Nothing is read any more.
            return
        with self._lock:
            self._is_asked = False
            try:
                document = json.loads(answer.result().content)
            except Busy:
                # It is asked for again with the next request.
                return
            except TbprofError:
                document = None
            self._known[run] = identity, NO_JOB if document is None else first_of_document(document)
            if document is not None:
                self._kept.keep(run, identity, document)
            if not self._waiting:
                self._kept.save(list(self._known))
            self._ask()
