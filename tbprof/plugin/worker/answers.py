"""What the process that reads traces answers: reports, and the screens of traces that it holds open."""

from __future__ import annotations

import dataclasses
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from tbprof.errors import Gone
from tbprof.report import Timeline, build_report, open_facts, open_timeline
from tbprof.safe_open import FileState, file_state, status_of_regular
from tbprof.store.codec import MAX_REPORT_BYTES, encode_report
from tbprof.store.report_cache import keep_report, report_key
from tbprof.version import __version__
from tbprof.views.screens import SCREENS, OfTables, OfTimeline, OfTwoTables, Screen
from tbprof.views.tables.pages import PAGE_TABLES, OpenTables

_KEPT_OPEN = 2
"""Traces of each kind: the one that is looked at, and the one it is compared with."""

BEFORE = "before"
"""The parameter with the path of the earlier trace, which the plugin looked up; never what a browser sent."""

Parameters: TypeAlias = Mapping[str, str]

_Opened = TypeVar("_Opened")


class _Shelf(Generic[_Opened]):
    """What was made of traces last, for as long as their files do not change."""

    def __init__(self, make: Callable[[str], _Opened]) -> None:
        self._make = make
        self._opened: OrderedDict[tuple[str, FileState], _Opened] = OrderedDict()

    def get(self, path: str) -> _Opened:
        """What is open of a trace; else it is read.

        Raises:
            Gone: The file is not there.
            TraceError: It gives nothing.
        """
        try:
            status = status_of_regular(path)
        except OSError as error:
            raise Gone(f"{path} is gone or can't be read ({error.strerror})") from error
        key = path, file_state(status)
        if key not in self._opened:
            self._opened[key] = self._make(path)
            while len(self._opened) > _KEPT_OPEN:
                self._opened.popitem(last=False)
        self._opened.move_to_end(key)
        return self._opened[key]


class OpenTraces:
    """The traces that are open; `progress` is called while one is read.

    They are kept here, as no other process can hold them, and counted: nobody knows how large one is.
    """

    def __init__(self, progress: Callable[[int, int], None]) -> None:
        self.progress = progress
        self.timelines = _Shelf(self._open_timeline)
        self.tables = _Shelf(self._open_tables)

    def _open_timeline(self, path: str) -> Timeline:
        opened = open_timeline(path, progress=self.progress)
        opened.lay_out()
        return opened

    def _open_tables(self, path: str) -> OpenTables:
        return OpenTables(open_facts(path, tables=PAGE_TABLES, progress=self.progress, use_cache=True))


_Answering: TypeAlias = Callable[[OpenTraces, str, Parameters], bytes]


def _report(traces: OpenTraces, path: str, _: Parameters) -> bytes:
    """The stored form of the report, which is kept in the cache as well."""
    key = report_key(path)
    report = build_report(path, progress=traces.progress, use_cache=True)
    keep_report(path, report, key)
    return encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)


def _shown(screen: Screen, traces: OpenTraces, path: str, given: Parameters) -> bytes:
    parameters = screen.taken(given)
    match screen.reads:
        case OfTimeline(answer):
            found = answer(traces.timelines.get(path), parameters)
        case OfTables(answer):
            found = answer(traces.tables.get(path), parameters)
        case OfTwoTables(answer):
            found = answer(traces.tables.get(given[BEFORE]), traces.tables.get(path), parameters)
    return found if isinstance(found, bytes) else _json(found)


def _json(record: object) -> bytes:
    # Of a table with many rows, `asdict` would copy each cell.
    return json.dumps(record, allow_nan=False, default=_fields).encode()


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


ANSWERS: Mapping[str, _Answering] = {
    "report": _report,
    **{
        screen.name: partial(_shown, screen)
        for screen in SCREENS
        if isinstance(screen.reads, OfTimeline | OfTables | OfTwoTables)
    },
}
"""A function of the traces that are open, the path of one and the parameters, by what is asked."""
