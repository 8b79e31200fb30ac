"""All that the tab can ask for, each declared once: its name, its record, what it reads and how it answers.

The plugin's route, the entry of the process that reads and the printed TypeScript follow from `SCREENS`. What
makes a view is imported when it is first asked for, as TensorBoard's process needs the declarations alone.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tbprof.errors import Gone, UsageError
from tbprof.model import Report, Window
from tbprof.records import dataclass
from tbprof.views.answer import Problem, Progress, WindowAnswer
from tbprof.views.checks import ChecksView, checks_view
from tbprof.views.comparison import CompareAnswer, CompareView, compare_view
from tbprof.views.finding_markdown import FindingText, finding_text
from tbprof.views.fleet import FleetView
from tbprof.views.icicle import IcicleAnswer, IcicleView
from tbprof.views.job.job_page import JobAnswer
from tbprof.views.memory import MemoryAnswer, MemoryView
from tbprof.views.memory_files import MemoryDocument, MemoryFilesView
from tbprof.views.modules import ModulesAnswer, ModulesView
from tbprof.views.pages import ManualPage, RulePage
from tbprof.views.roofline import RooflineAnswer, RooflineView
from tbprof.views.run_time import RunTimeView
from tbprof.views.runs import RunsVersion, RunsView
from tbprof.views.series import RanksView, TrendView
from tbprof.views.session import SessionView
from tbprof.views.source import SourceAnswer, SourceFilesView
from tbprof.views.tables.screen import RowDetails, TableAnswer, TableView
from tbprof.views.timeline import FoundView, SelectionView, TimelineAnswer, TimelineStep, TimelineView
from tbprof.views.window import WindowView

if TYPE_CHECKING:
    from tbprof.analysis.figures.timeline import Timeline
    from tbprof.views.tables.pages import OpenTables

Parameters: TypeAlias = Mapping[str, str]
"""The parameters of a request that the screen takes."""


@dataclass(frozen=True, slots=True)
class OfTimeline:
    """It reads the timeline of a window's trace, which is held open."""

    answer: Callable[[Timeline, Parameters], object]


@dataclass(frozen=True, slots=True)
class OfTables:
    """It reads all facts of a window's trace, which is held open."""

    answer: Callable[[OpenTables, Parameters], object]


@dataclass(frozen=True, slots=True)
class OfTwoTables:
    """It reads the facts of the earlier and of the later one of two windows."""

    answer: Callable[[OpenTables, OpenTables, Parameters], object]


@dataclass(frozen=True, slots=True)
class OfReport:
    """It reads the report of a window."""

    answer: Callable[[Window, Report, Parameters], object]


@dataclass(frozen=True, slots=True)
class OfTwoReports:
    """It reads the reports of the earlier and of the later one of two windows."""

    answer: Callable[[Report, Report], object]


Reads: TypeAlias = OfTimeline | OfTables | OfTwoTables | OfReport | OfTwoReports


@dataclass(frozen=True, slots=True)
class Screen:
    """A page of the tab, or a question that a page asks."""

    name: str
    """The name of its route, and of what a process is asked."""
    record: type | None
    """What is sent; None where that is no JSON of ours."""
    reads: Reads | None = None
    """None of what the plugin makes of many windows, or of none."""
    takes: tuple[str, ...] = ()
    """Parameters beside those that name a window."""
    shows: str = ""
    """The field of the record with what is shown, if others say how far it is; "" of one that comes whole."""
    sends: Literal["json", "bytes"] = "json"

    def filled(
        self,
        state: str,
        *,
        view: object = None,
        progress: Progress | None = None,
        problem: Problem | None = None,
    ) -> Any:
        """The record, with what is shown, how far it is, or why it can't be shown."""
        assert self.record is not None, "what has states is a record"
        parts = {"state": state, self.shows: view, "progress": progress, "problem": problem}
        names = [field.name for field in dataclasses.fields(self.record)]
        return self.record(**{name: parts[name] for name in names})

    def taken(self, given: Parameters) -> dict[str, str]:
        """What it takes of these parameters."""
        return {name: given[name] for name in self.takes if name in given}

    @property
    def tells_progress(self) -> bool:
        """Whether the record says how far a trace has been read."""
        return self.record is not None and any(
            field.name == "progress" for field in dataclasses.fields(self.record)
        )


def _window(window: Window, report: Report, _: Parameters) -> WindowView:
    from tbprof.views.window_view import window_view

    return window_view(report, run=window.run, worker=window.worker, window=window.window)


def _source(_: Window, report: Report, __: Parameters) -> SourceFilesView:
    from tbprof.views.source_files_view import source_files_view

    return source_files_view(report)


def _checks(_: Window, report: Report, __: Parameters) -> ChecksView:
    return checks_view(report)


def _finding(_: Window, report: Report, parameters: Parameters) -> FindingText:
    for finding in report.findings:
        if finding.fingerprint == parameters.get("finding", ""):
            return finding_text(report, finding)
    raise Gone("there is no such finding in this window")


def _compare(before: Report, after: Report) -> CompareView:
    return compare_view(before, after)


def _timeline(timeline: Timeline, _: Parameters) -> TimelineView:
    from tbprof.views.timeline_view import timeline_view

    return timeline_view(timeline)


def _step(timeline: Timeline, parameters: Parameters) -> TimelineStep:
    from tbprof.views.timeline_view import timeline_step

    return timeline_step(timeline, _step_number(timeline, parameters))


def _selection(timeline: Timeline, parameters: Parameters) -> SelectionView:
    from tbprof.views.timeline_selection import select_episode, select_gap, select_row

    number = _whole(parameters, "number", timeline.span_ns + len(timeline.facts.trace.slices) + 1)
    kinds = {"episode": select_episode, "gap": select_gap, "row": select_row}
    select = kinds.get(parameters.get("kind", ""))
    selection = None if select is None else select(timeline, number)
    if selection is None:
        raise UsageError("the link names something that is not in this window's timeline")
    return selection


def _find(timeline: Timeline, parameters: Parameters) -> FoundView:
    from tbprof.views.timeline_view import found_view

    after = parameters.get("after", "-1")
    if _INSTANT.fullmatch(after) is None:
        raise UsageError(f"after must be a whole number of ns, not {after[:40]!r}")
    # All that is found lies between the instant before the first event and the last one.
    after_ns = max(-1, min(int(after), timeline.span_ns))
    return found_view(
        timeline, parameters.get("text", ""), after_ns, backwards=parameters.get("order", "") == "back"
    )


def _excerpt(timeline: Timeline, parameters: Parameters) -> bytes:
    from tbprof.views.timeline_selection import excerpt_of_step

    return excerpt_of_step(timeline, _step_number(timeline, parameters))


def _tile(timeline: Timeline, parameters: Parameters) -> bytes:
    from tbprof.views.timeline_selection import tile_bytes

    level = _whole(parameters, "level", timeline.highest_level + 1)
    number = _whole(parameters, "number", (timeline.span_ns >> level) + 1)
    named = parameters.get("lanes", "").split(".")
    chosen = {int(lane) for lane in named if lane.isdecimal() and len(lane) <= _MOST_DIGITS}
    return tile_bytes(timeline, level, number, chosen or range(len(timeline.lanes)))


def _icicle(timeline: Timeline, parameters: Parameters) -> IcicleView:
    from tbprof.views.icicle_view import icicle_view

    return icicle_view(timeline.facts, parameters.get("kind", ""))


def _modules(tables: OpenTables, _: Parameters) -> ModulesView:
    from tbprof.views.modules_view import modules_view

    return modules_view(tables.facts)


def _memory(tables: OpenTables, parameters: Parameters) -> MemoryView:
    from tbprof.views.memory_view import MemoryQuestion, memory_view

    start, end, at = (
        _whole(parameters, name, _LAST_NS) if parameters.get(name) else None
        for name in ("start", "end", "at")
    )
    return memory_view(tables.facts, MemoryQuestion(parameters.get("device", ""), start, end, at))


def _roofline(tables: OpenTables, parameters: Parameters) -> RooflineView:
    from tbprof.views.roofline_view import roofline_view

    return roofline_view(tables.facts, in_steps=_in_steps(parameters))


def _table(tables: OpenTables, parameters: Parameters) -> TableView:
    from tbprof.views.tables.viewing import first_columns

    view = tables.view(parameters.get("table", ""), parameters.get("by", ""), in_steps=_in_steps(parameters))
    return first_columns(view) if parameters.get("columns", "") == "first" else view


def _table_row(tables: OpenTables, parameters: Parameters) -> RowDetails:
    from tbprof.views.tables.pages import details_of

    row = _whole(parameters, "row", len(tables.facts.trace.slices))
    return details_of(
        tables.facts,
        parameters.get("table", ""),
        parameters.get("by", ""),
        row,
        in_steps=_in_steps(parameters),
    )


def _compared_table(before: OpenTables, after: OpenTables, parameters: Parameters) -> TableView:
    from tbprof.views.tables.pages import compared_view

    return compared_view(before.facts, after.facts, parameters.get("table", ""))


_MOST_DIGITS = 19
"""The most digits of a number of ns or rows; Python itself refuses to read thousands of digits."""
_INSTANT = re.compile(rf"-?[0-9]{{1,{_MOST_DIGITS}}}")

_LAST_NS = 2**53
"""Beyond what any window holds, and what a browser counts exactly."""


def _in_steps(parameters: Parameters) -> bool:
    return parameters.get("scope", "") != "trace"


def _step_number(timeline: Timeline, parameters: Parameters) -> int:
    return _whole(parameters, "step", len(timeline.facts.steps))


def _whole(parameters: Parameters, name: str, below: int) -> int:
    text = parameters.get(name, "")
    if not text.isdecimal() or len(text) > _MOST_DIGITS or int(text) >= below:
        raise UsageError(f"{name} must be a whole number below {below}, not {text[:40]!r}")
    return int(text)


SCREENS = (
    Screen("runs", RunsView),
    Screen("version", RunsVersion),
    Screen("fleet", FleetView),
    Screen("window", WindowAnswer, OfReport(_window), shows="window"),
    Screen("source", SourceAnswer, OfReport(_source), shows="source"),
    Screen("ranks", RanksView),
    Screen("trend", TrendView),
    Screen("job", JobAnswer),
    Screen("compare", CompareAnswer, OfTwoReports(_compare), shows="view"),
    Screen("finding", FindingText, OfReport(_finding), ("finding",)),
    Screen("session", SessionView),
    Screen("rule", RulePage),
    Screen("manual", ManualPage),
    Screen("timeline", TimelineAnswer, OfTimeline(_timeline), shows="timeline"),
    Screen("timeline_step", TimelineStep, OfTimeline(_step), ("step",)),
    Screen("timeline_selection", SelectionView, OfTimeline(_selection), ("kind", "number")),
    Screen("timeline_find", FoundView, OfTimeline(_find), ("text", "after", "order")),
    Screen("timeline_excerpt", None, OfTimeline(_excerpt), ("step",)),
    Screen("timeline_tile", None, OfTimeline(_tile), ("level", "number", "lanes"), sends="bytes"),
    Screen("checks", ChecksView, OfReport(_checks)),
    Screen("icicle", IcicleAnswer, OfTimeline(_icicle), ("kind",), "icicle"),
    Screen("memory", MemoryAnswer, OfTables(_memory), ("device", "start", "end", "at"), "memory"),
    Screen("memory_files", MemoryFilesView),
    Screen("memory_file", MemoryDocument),
    Screen("run_time", RunTimeView),
    Screen("modules", ModulesAnswer, OfTables(_modules), shows="modules"),
    Screen("roofline", RooflineAnswer, OfTables(_roofline), ("scope",), "roofline"),
    Screen("table", TableAnswer, OfTables(_table), ("table", "by", "scope", "columns"), "view"),
    Screen("table_row", RowDetails, OfTables(_table_row), ("table", "by", "row", "scope")),
    Screen("compared_table", TableAnswer, OfTwoTables(_compared_table), ("table",), "view"),
)
