"""The answers to "show me all runs": a page of them, and all of them for a spreadsheet."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

from tbprof.errors import Busy, Gone, TbprofError, UsageError
from tbprof.model import Window
from tbprof.plugin.routes.background_reading import BackgroundReading
from tbprof.plugin.routes.fleet_goodputs import FleetGoodputs
from tbprof.plugin.routes.fleet_jobs import FleetJobs
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.worker.kept import Answer, Failed, Key
from tbprof.plugin.worker.pool import Job, Pool, Priority, State, Task
from tbprof.plugin.worker.traces import Traces
from tbprof.plugin.worker.window_messages import AskedWindow, packed_windows
from tbprof.process.answering import Question
from tbprof.records import dataclass
from tbprof.remote.placeholders import is_mirrored
from tbprof.store.job_windows import owner_of_run
from tbprof.store.kept_summaries import FileIdentity, KeptSummaries, identity_of_window
from tbprof.views.answer import in_log_directory
from tbprof.views.fleet import FleetView, fleet_csv
from tbprof.views.fleet_entries import FleetWindow, fleet_entries, newest_windows
from tbprof.views.fleet_groups import FleetEntry
from tbprof.views.fleet_listing import RUNS_OF_A_PAGE, SORTS, FleetQuestion, fleet_rows, fleet_view, sort_of
from tbprof.views.fleet_summary import SUMMARY_FORM, WindowSummary, summary_of_document
from tbprof.views.job.job_first import JobFirst

_FRESH_S = 1.0
"""How long the rows are good for: several people look, sort and search."""

_SHARE = 8
"""While reports are read, rows are made again after so many times as long as that takes."""

_MOST_DIGITS = 9
_LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class _Entries:
    windows: Sequence[Window]
    """The windows of the log directory as it was."""
    known: Mapping[str, Known]
    """What they were made of, as the next one."""
    jobs: Mapping[str, JobFirst]
    goodputs: Mapping[str, float]
    until: float
    """`time.monotonic()` up to which they are good."""
    entries: tuple[FleetEntry, ...]
    reading: int
    newest: int
    """How many windows are read in all: the newest of each worker."""


class FleetAnswers:
    def __init__(self, logs: LogDirectory, pool: Pool) -> None:
        """Nothing is read or started yet."""
        self._logs = logs
        place = str(Path(logs.name).absolute())
        self._summaries = Summaries(place, pool)
        self._jobs = FleetJobs(place, pool, lambda row: self._summaries.asked(row.window))
        self._goodputs = FleetGoodputs(pool)
        self._lock = Lock()
        self._made = _Entries((), {}, {}, {}, float("-inf"), (), 0, 0)

    def answer(self, parameters: Mapping[str, str]) -> FleetView:
        """The runs from the place `from` on that `search` finds, by `sort`, turned round by `order=back`.

        Their traces are read meanwhile, until `traces=stop`; `traces=read` goes on.

        Raises:
            UsageError: A parameter is none.
        """
        question, first = _question(parameters), _first(parameters)
        self._summaries.read_on(parameters.get("traces", ""))
        made = self._entries()
        return fleet_view(
            made.entries,
            question,
            first=first,
            most=RUNS_OF_A_PAGE,
            reading=made.reading,
            windows=made.newest,
            is_stopped=self._summaries.is_stopped,
        )

    def csv(self, parameters: Mapping[str, str]) -> bytes:
        """All of those, as CSV in UTF-8.

        Raises:
            UsageError: A parameter is none.
        """
        return fleet_csv(fleet_rows(self._entries().entries, _question(parameters))).encode(errors="replace")

    def _entries(self) -> _Entries:
        windows = self._logs.listing().windows
        with self._lock:
            made = self._made
            if made.windows is not windows or time.monotonic() > made.until:
                self._made = self._make(windows, made)
            return self._made

    def _make(self, windows: Sequence[Window], before: _Entries) -> _Entries:
        began = time.monotonic()
        newest = newest_windows(windows)
        known, reading = self._summaries.of([window for window, _, _ in newest])
        rows = [
            _row(window, count, first_ns, known.get(window.report_path or window.trace_path or ""))
            for window, count, first_ns in newest
        ]
        jobs, comparing = self._jobs.of(rows)
        goodputs, asking = self._goodputs.of(rows)
        until, entries = time.monotonic() + _FRESH_S, before.entries
        is_same = _same(known, before.known) and _same(jobs, before.jobs) and goodputs == before.goodputs
        if windows is not before.windows or not is_same:
            entries, now = fleet_entries(rows, jobs, goodputs), time.monotonic()
            until = now + max(_FRESH_S, _SHARE * (now - began))
        left = reading + comparing + asking
        return _Entries(windows, known, jobs, goodputs, until, entries, left, len(newest))


def _same(known: Mapping[str, object], before: Mapping[str, object]) -> bool:
    """What did not change is the same record."""
    return len(known) == len(before) and all(one is before.get(path) for path, one in known.items())


def _row(window: Window, count: int, first_ns: int, known: Known | None) -> FleetWindow:
    known = known or Known()
    path = window.report_path or window.trace_path or ""
    problem = in_log_directory(window, known.problem)
    return FleetWindow(window, count, first_ns, owner_of_run(window.run, path), known.summary, problem)


def _question(parameters: Mapping[str, str]) -> FleetQuestion:
    search = parameters.get("search", "")
    if len(search) > _LONGEST_SEARCH:
        raise UsageError(f"a search has at most {_LONGEST_SEARCH} letters")
    return FleetQuestion(
        search=search,
        sort=sort_of(parameters.get("sort", SORTS[0])),
        is_reversed=parameters.get("order") == "back",
    )


def _first(parameters: Mapping[str, str]) -> int:
    text = parameters.get("from", "0")
    if not text.isdecimal() or not text.isascii() or len(text) > _MOST_DIGITS:
        raise UsageError("the run must be 0 or more")
    return int(text)


BATCH = 64
"""Windows of one question: some 0.3 s, so that the page counts up."""

_DEADLINE_S = 60.0
_SAVE_EVERY_S = 5.0
_LOOK_AGAIN_S = 30.0
"""Whether a trace without a report has got one since: a terminal may have read it."""

_LOST = "its report could not be read: the process that reads reports ended"


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a window; neither a summary nor a problem of one whose trace was not read."""

    summary: WindowSummary | None = None
    problem: str = ""


_Waiting: TypeAlias = tuple[str, tuple[FileIdentity, Window]]


class Summaries:
    """The summaries of one log directory; all methods may be called from any thread.

    These are kept apart from other answers, and all of them: the page is of all runs, and what is missing is
    read again. A later server begins with what this one left in the cache of the disk.
    """

    def __init__(self, place: str, pool: Pool) -> None:
        """Nothing is read or started yet.

        Args:
            place: The log directory, in full.
            pool: Reads reports, and knows of traces that have none whether they are being read.
        """
        self._pool = pool
        self._traces = Traces(pool)
        self._lock = threading.RLock()
        self._reading = BackgroundReading(self._traces, self._lock, self._take_trace)
        self._kept = KeptSummaries(place, SUMMARY_FORM)
        self._known: dict[str, tuple[FileIdentity, Known]] = {}
        self._windows: dict[str, Window] = {}
        """The windows that were asked for last, by path, the newest first."""
        self._waiting: OrderedDict[str, tuple[FileIdentity, Window]] = OrderedDict()
        self._singly: set[str] = set()
        """Windows of a batch that ended the process: read one by one, each costs itself alone."""
        self._unread: dict[str, float] = {}
        """When it was last asked whether a trace without a report has one."""
        self._is_asked = False
        self._saved_at = 0.0

    @property
    def is_stopped(self) -> bool:
        return self._reading.is_stopped

    def read_on(self, word: str) -> None:
        """Stop reading traces, or go on.

        Raises:
            UsageError: The word is neither.
        """
        if word not in ("", "stop", "read"):
            raise UsageError("traces can be read, or you can stop that")
        if word == "stop":
            self._reading.stop()
        elif word == "read":
            self._reading.resume()

    def of(self, windows: Sequence[Window]) -> tuple[dict[str, Known], int]:
        """What is known of each window, by the path of its report, else its trace; and how many are being
        read.
        """
        found: dict[str, Known] = {}
        with self._lock:
            self._waiting.clear()
            self._kept.refresh()
            self._windows = {}
            for window in sorted(windows, key=lambda window: -window.order_ns):
                path = window.report_path or window.trace_path or ""
                self._windows[path] = window
                known = self._of(path, window)
                if known is not None and (known.summary is not None or known.problem):
                    self._reading.withdraw(path)
                if known is not None and path not in self._reading:
                    found[path] = known
            if any(window.report_path is None for _, window in self._waiting.values()):
                # It starts while it is found out which of them were read before.
                self._traces.prepare()
            self._ask()
            self._reading.go_on()
        return found, len(windows) - len(found)

    def _of(self, path: str, window: Window) -> Known | None:
        try:
            identity = identity_of_window(window)
        except OSError as error:
            return Known(problem=f"its file is gone or can't be read ({error.strerror})")
        known = self._known.get(path)
        if known is not None and known[0] == identity:
            return self._since(path, identity, window, known[1])
        document = self._kept.get(path, identity)
        if document is None:
            self._waiting[path] = identity, window
            return None
        self._known[path] = identity, Known(summary_of_document(document))
        return self._known[path][1]

    def _since(self, path: str, identity: FileIdentity, window: Window, known: Known) -> Known | None:
        """What is known by now; None of a trace without a report once it is being read here, or was."""
        if path not in self._unread:
            return known
        if (document := self._kept.get(path, identity)) is not None:
            self._unread.pop(path)
            self._known[path] = identity, Known(summary_of_document(document))
            return self._known[path][1]
        state = self._state_of(path)
        if isinstance(state, Failed):
            if known.problem != str(state.error):
                self._known[path] = identity, Known(problem=str(state.error))
            return self._known[path][1]
        if isinstance(state, Answer) or time.monotonic() - self._unread[path] > _LOOK_AGAIN_S:
            self._waiting[path] = identity, window
        return known if state is None else None

    def _ask(self) -> None:
        """Put the next windows to the process; called with the lock held."""
        if self._is_asked or not self._waiting:
            return
        size = 1 if next(iter(self._waiting)) in self._singly else BATCH
        batch = [self._waiting.popitem(last=False) for _ in range(min(size, len(self._waiting)))]
        windows = packed_windows([self.asked(window) for _, (_, window) in batch])
        question = Question(batch[0][0], "summaries", {"windows": windows})
        key = Key("summaries", tuple(path for path, _ in batch))
        job = self._pool.begin(Task(key, question, Priority.SUMMARY, _DEADLINE_S))
        assert isinstance(job, Job), "nothing is kept of summaries there"
        self._is_asked = True
        job.answer.add_done_callback(lambda done: self._take(batch, done))

    def asked(self, window: Window) -> AskedWindow:
        """The window as a process is asked for it, with its report where no file holds one."""
        if window.report_path is not None or window.trace_path is None:
            return AskedWindow(window)
        state = self._state_of(window.trace_path)
        return AskedWindow(window, state.content if isinstance(state, Answer) else None)

    def _state_of(self, path: str) -> State | None:
        try:
            return self._traces.state_of(path)
        except Gone:
            # Which the answer about its window says.
            return None

    def _take(self, batch: list[_Waiting], answer: Future[Answer]) -> None:
        if answer.cancelled():
            # Nothing is read any more.
            return
        with self._lock:
            self._is_asked = False
            try:
                outcomes = json.loads(answer.result().content)
            except Busy:
                # They are asked for again with the next request.
                return
            except TbprofError:
                self._give_up(batch)
                outcomes = []
            for (path, (identity, _)), outcome in zip(batch, outcomes, strict=False):
                self._note(path, identity, outcome)
            if not self._waiting or time.monotonic() - self._saved_at > _SAVE_EVERY_S:
                self._saved_at = time.monotonic()
                self._kept.save([*self._known, *self._waiting])
            self._ask()
            self._reading.go_on()

    def _note(self, path: str, identity: FileIdentity, outcome: dict[str, Any] | str | None) -> None:
        self._unread.pop(path, None)
        if isinstance(outcome, dict):
            self._known[path] = identity, Known(summary_of_document(outcome))
            self._kept.keep(path, identity, outcome)
            return
        self._known[path] = identity, Known(problem=outcome or "")
        if outcome is None:
            self._unread[path] = time.monotonic()
            self._have_read(path)

    def _have_read(self, path: str) -> None:
        """Put a trace in line, once; what is on another host is fetched for who opens it only."""
        window = self._windows.get(path)
        if window is not None and window.trace_path is not None and not is_mirrored(path):
            self._reading.offer(path, window.order_ns)

    def _take_trace(self, path: str) -> None:
        """Ask for the summary of what was read; called with the lock held."""
        window, known = self._windows.get(path), self._known.get(path)
        if window is None or known is None:
            return
        state = self._state_of(path)
        if isinstance(state, Failed):
            self._known[path] = known[0], Known(problem=str(state.error))
        elif path in self._unread:
            self._waiting[path] = known[0], window
            self._ask()

    def _give_up(self, batch: list[_Waiting]) -> None:
        if len(batch) > 1:
            self._singly.update(path for path, _ in batch)
            return
        [(path, (identity, _))] = batch
        self._note(path, identity, _LOST)
