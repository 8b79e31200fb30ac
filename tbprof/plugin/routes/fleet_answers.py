"""The answers to "show me all runs": a page of them, and all of them for a spreadsheet."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from tbprof.errors import UsageError
from tbprof.model import Window
from tbprof.plugin.routes.log_directory import LogDirectory
from tbprof.plugin.worker.analyses import Analyses
from tbprof.plugin.worker.summaries import Known, Summaries
from tbprof.records import dataclass
from tbprof.store.lookup.owners import owner_of
from tbprof.views.fleet.fleet import FleetView
from tbprof.views.fleet.fleet_csv import fleet_csv
from tbprof.views.fleet.fleet_entries import FleetEntry, FleetWindow, fleet_entries, newest_windows
from tbprof.views.fleet.listing import RUNS_OF_A_PAGE, SORTS, FleetQuestion, fleet_rows, fleet_view, sort_of
from tbprof.views.window.problems import in_log_directory

_FRESH_S = 1.0
"""How long the rows are good for: several people look, sort and search."""

_SHARE = 8
"""While reports are read, rows are made anew after so many times as long as that takes."""

_MOST_DIGITS = 9
_LONGEST_SEARCH = 200


@dataclass(frozen=True, slots=True)
class _Entries:
    windows: Sequence[Window]
    """Of the log directory as it was."""
    known: Mapping[str, Known]
    """What they were made of."""
    until: float
    """`time.monotonic()` up to which they are good."""
    entries: tuple[FleetEntry, ...]
    reading: int


class FleetAnswers:
    def __init__(self, logs: LogDirectory, analyses: Analyses) -> None:
        """Nothing is read or started yet; `analyses` reads what somebody opens."""
        self._logs = logs
        self._summaries = Summaries(str(Path(logs.name).absolute()), analyses.state_of)
        self._lock = Lock()
        self._made = _Entries((), {}, float("-inf"), (), 0)

    @property
    def pid(self) -> int | None:
        """The number of the process that reads reports; None where none runs."""
        return self._summaries.pid

    def answer(self, parameters: Mapping[str, str]) -> FleetView:
        """The runs from the place `from` on that `search` finds, by `sort`, turned round by `order=back`.

        Raises:
            UsageError: A parameter is none.
        """
        question, first = _question(parameters), _first(parameters)
        made = self._entries()
        return fleet_view(made.entries, question, first=first, most=RUNS_OF_A_PAGE, reading=made.reading)

    def csv(self, parameters: Mapping[str, str]) -> bytes:
        """All of those, as CSV in UTF-8.

        Raises:
            UsageError: A parameter is none.
        """
        return fleet_csv(fleet_rows(self._entries().entries, _question(parameters))).encode(errors="replace")

    def close(self) -> None:
        """End the process that reads reports."""
        self._summaries.close()

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
        if windows is before.windows and _are_same(known, before.known):
            return _Entries(windows, known, time.monotonic() + _FRESH_S, before.entries, reading)
        rows = [
            _row(window, count, first_ns, known.get(window.report_path or window.trace_path or ""))
            for window, count, first_ns in newest
        ]
        entries, now = fleet_entries(rows), time.monotonic()
        return _Entries(windows, known, now + max(_FRESH_S, _SHARE * (now - began)), entries, reading)


def _are_same(known: Mapping[str, Known], before: Mapping[str, Known]) -> bool:
    """What did not change is the same record."""
    return len(known) == len(before) and all(one is before.get(path) for path, one in known.items())


def _row(window: Window, count: int, first_ns: int, known: Known | None) -> FleetWindow:
    known = known or Known()
    path = window.report_path or window.trace_path or ""
    problem = in_log_directory(window, known.problem)
    return FleetWindow(window, count, first_ns, owner_of(path), known.summary, problem)


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
        raise UsageError("runs count from 0 on")
    return int(text)
