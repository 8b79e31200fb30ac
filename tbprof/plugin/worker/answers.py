"""What the process that reads traces answers: reports, timelines, flame graphs and tables."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from tbprof.errors import Gone, UsageError
from tbprof.report import Facts, Timeline, build_report, open_facts, open_timeline
from tbprof.safe_open import FileState, file_state, status_of_regular
from tbprof.store.codec import MAX_REPORT_BYTES, encode_report
from tbprof.store.report_cache import keep_report, report_key
from tbprof.version import __version__
from tbprof.views.icicle_view import icicle_view
from tbprof.views.memory_view import MemoryQuestion, memory_view
from tbprof.views.modules_view import modules_view
from tbprof.views.roofline_view import roofline_view
from tbprof.views.tables.pages import PAGE_TABLES, compared_view, details_of, page_of
from tbprof.views.tables.screen import TableView
from tbprof.views.tables.viewing import first_columns
from tbprof.views.timeline_selection import (
    excerpt_of_step,
    select_episode,
    select_gap,
    select_row,
    tile_bytes,
)
from tbprof.views.timeline_view import found_view, timeline_step, timeline_view

_KEPT_OPEN = 2
"""Traces of each kind: the one that is looked at, and the one it is compared with."""

_MOST_DIGITS = 19
"""The most digits of a number of ns or rows; Python itself refuses to read thousands of digits."""
_INSTANT = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")

_LAST_NS = 2**53
"""Beyond what any window holds, and what a browser counts exactly."""

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


class _Tables:
    """The facts of a trace, and the table of it that was asked for last: its columns come in two parts."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._last: tuple[tuple[str, str, bool], TableView] | None = None

    def view(self, name: str, by: str, *, in_steps: bool) -> TableView:
        """The whole table.

        Raises:
            UsageError: There is no such one.
        """
        key = (name, by, in_steps)
        if self._last is None or self._last[0] != key:
            self._last = (key, page_of(self.facts, name, by, in_steps=in_steps))
        return self._last[1]


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

    def _open_tables(self, path: str) -> _Tables:
        return _Tables(open_facts(path, tables=PAGE_TABLES, progress=self.progress, use_cache=True))


_Answering: TypeAlias = Callable[[OpenTraces, str, Parameters], bytes]


def _report(traces: OpenTraces, path: str, _: Parameters) -> bytes:
    """The stored form of the report, which is kept in the cache as well."""
    key = report_key(path)
    report = build_report(path, progress=traces.progress, use_cache=True)
    keep_report(path, report, key)
    return encode_report(report, written_by=__version__, max_bytes=MAX_REPORT_BYTES)


def _view(timeline: Timeline, _: Parameters) -> bytes:
    return _json(timeline_view(timeline))


def _icicle(timeline: Timeline, parameters: Parameters) -> bytes:
    return _json(icicle_view(timeline.facts, parameters.get("kind", "")))


def _step(timeline: Timeline, parameters: Parameters) -> bytes:
    return _json(timeline_step(timeline, _step_number(timeline, parameters)))


def _excerpt(timeline: Timeline, parameters: Parameters) -> bytes:
    return excerpt_of_step(timeline, _step_number(timeline, parameters))


def _tile(timeline: Timeline, parameters: Parameters) -> bytes:
    level = _whole(parameters, "level", timeline.highest_level + 1)
    number = _whole(parameters, "number", (timeline.span_ns >> level) + 1)
    named = parameters.get("lanes", "").split(".")
    chosen = {int(lane) for lane in named if lane.isdecimal() and len(lane) <= _MOST_DIGITS}
    return tile_bytes(timeline, level, number, chosen or range(len(timeline.lanes)))


def _selection(timeline: Timeline, parameters: Parameters) -> bytes:
    number = _whole(parameters, "number", timeline.span_ns + len(timeline.facts.trace.slices) + 1)
    kinds: dict[str, Callable[[], Any]] = {
        "episode": lambda: select_episode(timeline, number),
        "gap": lambda: select_gap(timeline, number),
        "row": lambda: select_row(timeline, number),
    }
    selection = kinds.get(parameters.get("kind", ""), lambda: None)()
    if selection is None:
        raise UsageError("the link names something that is not in this window's timeline")
    return _json(selection)


def _find(timeline: Timeline, parameters: Parameters) -> bytes:
    text, after = parameters.get("text", ""), parameters.get("after", "-1")
    if _INSTANT.fullmatch(after) is None:
        raise UsageError(f"after must be a whole number of ns, not {after[:40]!r}")
    # All that is found lies between the instant before the first event and the last one.
    after_ns = max(-1, min(int(after), timeline.span_ns))
    return _json(found_view(timeline, text, after_ns, backwards=parameters.get("order") == "back"))


def _table(traces: OpenTraces, path: str, parameters: Parameters) -> bytes:
    name, by = parameters.get("table", ""), parameters.get("by", "")
    view = traces.tables.get(path).view(name, by, in_steps=_in_steps(parameters))
    return _json(first_columns(view) if parameters.get("columns") == "first" else view)


def _modules(facts: Facts, _: Parameters) -> bytes:
    return _json(modules_view(facts))


def _memory(facts: Facts, parameters: Parameters) -> bytes:
    question = MemoryQuestion(
        device=parameters.get("device", ""),
        from_ns=_instant(parameters, "start"),
        to_ns=_instant(parameters, "end"),
        at_ns=_instant(parameters, "at"),
    )
    return _json(memory_view(facts, question))


def _instant(parameters: Parameters, name: str) -> int | None:
    """In ns since the first event; None where none is given."""
    return None if parameters.get(name, "") == "" else _whole(parameters, name, _LAST_NS)


def _roofline(facts: Facts, parameters: Parameters) -> bytes:
    return _json(roofline_view(facts, in_steps=_in_steps(parameters)))


def _table_row(facts: Facts, parameters: Parameters) -> bytes:
    name, by = parameters.get("table", ""), parameters.get("by", "")
    row = _whole(parameters, "row", len(facts.trace.slices))
    return _json(details_of(facts, name, by, row, in_steps=_in_steps(parameters)))


def _in_steps(parameters: Parameters) -> bool:
    return parameters.get("scope") != "trace"


def _compared_table(traces: OpenTraces, path: str, parameters: Parameters) -> bytes:
    """`before` is the path of the other trace, which the plugin looked up; never what a browser sent."""
    before, after = (traces.tables.get(one).facts for one in (parameters["before"], path))
    return _json(compared_view(before, after, parameters.get("table", "")))


def _of_tables(answer: Callable[[Facts, Parameters], bytes]) -> _Answering:
    return lambda traces, path, parameters: answer(traces.tables.get(path).facts, parameters)


def _of_timeline(answer: Callable[[Timeline, Parameters], bytes]) -> _Answering:
    return lambda traces, path, parameters: answer(traces.timelines.get(path), parameters)


ANSWERS: Mapping[str, _Answering] = {
    "report": _report,
    "view": _of_timeline(_view),
    "icicle": _of_timeline(_icicle),
    "step": _of_timeline(_step),
    "tile": _of_timeline(_tile),
    "selection": _of_timeline(_selection),
    "find": _of_timeline(_find),
    "excerpt": _of_timeline(_excerpt),
    "modules": _of_tables(_modules),
    "memory": _of_tables(_memory),
    "roofline": _of_tables(_roofline),
    "table": _table,
    "table_row": _of_tables(_table_row),
    "compared_table": _compared_table,
}
"""A function of the traces that are open, the path of one and the parameters, by what is asked."""


def _step_number(timeline: Timeline, parameters: Parameters) -> int:
    return _whole(parameters, "step", len(timeline.facts.steps))


def _whole(parameters: Parameters, name: str, below: int) -> int:
    text = parameters.get(name, "")
    if not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) >= below:
        raise UsageError(f"{name} must be a whole number below {below}, not {text[:40]!r}")
    return int(text)


def _json(record: Any) -> bytes:
    # Of a table with many rows, `asdict` would copy each cell.
    return json.dumps(record, allow_nan=False, default=_fields).encode()


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
