"""The lines of a program that a report has something to say about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import get_args

from tbprof.judge.actions import added_savings, ranked_actions
from tbprof.model import Finding, FindingIndex, Report, Site, SiteIndex, Source
from tbprof.records import dataclass
from tbprof.rules.declared import rule_of
from tbprof.texts.rule_pages import rule_words
from tbprof.texts.source import called_note, candidate_note, doubt_note, predicted_note, recorded_note
from tbprof.views.edits import EditRow, mechanical_edits
from tbprof.views.findings import FindingRow, SavingView, finding_row, saving_view
from tbprof.views.source import MarkKind, Remark, SourceFiles
from tbprof.views.steady import us

_BEST_FIRST = get_args(MarkKind)


@dataclass(frozen=True, slots=True)
class FoundMark:
    """One thing that is known of a line."""

    file: str
    line: int
    kind: MarkKind
    function: str
    library: str
    saving: SavingView | None
    note: str
    """"" of a site's own line: there its wait is said."""
    wait_us: float
    """The wait in one step, at the site whose place this is."""
    sites: tuple[SiteIndex, ...]
    own_site: SiteIndex | None
    """The site whose place this line is: its own, its `def`, or else its first candidate."""

    @property
    def rank(self) -> int:
        return _BEST_FIRST.index(self.kind)


def found_marks(
    report: Report, names: SourceFiles, savings: tuple[SavingView | None, ...]
) -> tuple[FoundMark, ...]:
    """The marks of the sites, then of what would wait for a GPU and of other calls that the hook saw."""
    found: list[FoundMark] = []
    for index, site in report.indexed_sites:
        if site.source is not None:
            wait_us = us(site.wait_ns) / max(len(report.steps), 1)
            notes = partial(_note, site.source)
            found += _of_site(index, site, site.source, names, savings[index], wait_us, notes)
            found += _of_caller(index, site, names, savings[index])
    taken = {(mark.file, mark.line) for mark in found if mark.kind in ("line", "candidate")}
    return (*found, *_of_calls(report, names, taken))


def _of_site(
    index: SiteIndex,
    site: Site,
    source: Source,
    names: SourceFiles,
    saving: SavingView | None,
    wait_us: float,
    note: Callable[[MarkKind], str],
) -> Iterator[FoundMark]:
    kinds: list[tuple[int, MarkKind]] = [(line, "candidate") for line in source.candidates]
    if source.line is not None:
        kinds.insert(0, (source.line, "line" if source.exact else "def"))
    for at, (line, kind) in enumerate(kinds):
        yield FoundMark(
            file=names.name(source.file),
            line=line,
            kind=kind,
            function=source.function,
            library=site.library or "",
            saving=saving if at == 0 else None,
            note=note(kind),
            wait_us=wait_us if at == 0 else 0.0,
            sites=(index,),
            own_site=index if at == 0 else None,
        )


def _note(source: Source, kind: MarkKind) -> str:
    if kind == "def":
        return doubt_note(source)
    return candidate_note(source.candidates) if kind == "candidate" and len(source.candidates) > 1 else ""


def _of_caller(
    index: SiteIndex, site: Site, names: SourceFiles, saving: SavingView | None
) -> Iterator[FoundMark]:
    """The nearest of the user's own lines that led to the site, where another function waits for it.

    Around the user's own function a frame is marked only if its line is exact: its `def` alone tells
    nothing that the file's list of functions does not.
    """
    beneath_library = site.library is not None
    own = next((frame for frame in site.callers if not frame.file.startswith("<")), None)
    if beneath_library:
        own = site.callers[-1] if site.callers else None
    if own is None or own.line is None or not (own.exact or beneath_library):
        return
    yield FoundMark(
        file=names.name(own.file),
        line=own.line,
        kind="caller",
        function=own.function,
        library="",
        saving=saving,
        note=called_note(site, is_exact=own.exact),
        wait_us=0.0,
        sites=(index,),
        own_site=None,
    )


def _of_calls(report: Report, names: SourceFiles, taken: set[tuple[str, int]]) -> Iterator[FoundMark]:
    for line in report.predicted_lines:
        file, at = names.name(line.source.file), line.source.line
        if at is not None and (file, at) not in taken:
            taken.add((file, at))
            note = predicted_note(line.kind, rule_words(line.rule).action)
            yield FoundMark(file, at, "predicted", line.source.function, "", None, note, 0.0, (), None)
    for call in report.recorded_calls:
        file = names.name(call.file)
        if (file, call.line) not in taken:
            note = recorded_note(call)
            yield FoundMark(file, call.line, "call", call.function, "", None, note, 0.0, (), None)


class Remarks:
    def __init__(self, report: Report, marks: Sequence[FoundMark], names: SourceFiles) -> None:
        self._report = report
        self._names = names
        self._numbers = {
            index: number
            for number, action in enumerate(ranked_actions(report).actions, start=1)
            for index in (*action.findings, *(one for way in action.ways for one in way.findings))
        }
        self._marks = [mark for mark in marks if mark.own_site is not None]
        self._at: dict[tuple[str, int], list[Remark]] = {}
        for index in range(len(report.findings)):
            self._place(index)

    def at(self, file: str, line: int) -> tuple[Remark, ...]:
        """The actions first, in their order."""
        found = self._at.get((file, line), [])
        return tuple(sorted(found, key=lambda remark: (remark.number is None, remark.number or 0)))

    def numbers(self, sites: Sequence[int]) -> tuple[int, ...]:
        """Numbers of the actions that the sites are part of, ascending."""
        findings = self._report.findings
        return tuple(
            number
            for finding, number in self._numbers.items()
            if not set(sites).isdisjoint(findings[finding].sites)
        )

    def elsewhere(self) -> tuple[FindingRow, ...]:
        """The findings that stand at no line, as they come in the report."""
        placed = {remark.finding.fingerprint for here in self._at.values() for remark in here}
        rows = (finding_row(one, self._report) for one in self._report.findings)
        return tuple(row for row in rows if row.fingerprint not in placed)

    def _place(self, index: int) -> None:
        sites = set(self._report.findings[index].sites)
        mine = [mark for mark in self._marks if mark.own_site in sites]
        for file in dict.fromkeys(mark.file for mark in mine):
            here = [mark for mark in mine if mark.file == file]
            most = max(here, key=lambda mark: (_ceiling(mark.saving), mark.line))
            lines = frozenset(mark.line for mark in here if mark.kind == "line")
            self._at.setdefault((file, most.line), []).append(self._remark(index, file, lines))

    def _remark(self, index: int, file: str, lines: frozenset[int]) -> Remark:
        finding = self._report.findings[index]
        number = self._numbers.get(FindingIndex(index))
        return Remark(
            finding=finding_row(finding, self._report),
            number=number,
            edits=self._edits(finding.rule, file, lines),
        )

    def _edits(self, code: str, file: str, lines: frozenset[int]) -> tuple[EditRow, ...]:
        rule = rule_of(code)
        edit = None if rule is None else rule.edit
        return tuple(
            row
            for block in self._names.code(file)
            for row in mechanical_edits(edit, block.first_line, block.lines, lines)
        )


def _ceiling(saving: SavingView | None) -> float:
    return 0.0 if saving is None else saving.ceiling_us


def site_savings(report: Report) -> tuple[SavingView | None, ...]:
    """For each site its part, in us of one step; None where nothing can be won.

    A change at several sites is shared out by their waits above their base cost. Of what is in the
    fix plan a site has its part of what the change adds, so that all sites together give the plan;
    else its largest ceiling, without an estimate.
    """
    steps = max(len(report.steps), 1)
    planned = [
        (report.findings[row.finding], saving_view(saving, steps))
        for row, saving in zip(report.fix_plan, added_savings(report), strict=True)
    ]
    in_plan = {site for finding, _ in planned for site in finding.sites}
    return tuple(
        added_up(
            _part(report, index, finding, saving) for finding, saving in planned if index in finding.sites
        )
        if index in in_plan
        else _largest_ceiling(report, index)
        for index in range(len(report.sites))
    )


def added_up(savings: Iterable[SavingView | None]) -> SavingView | None:
    """Their sum; without an estimate where none of them has one, None where there are none."""
    there = [saving for saving in savings if saving is not None]
    if not there:
        return None
    estimates = [saving.estimate_us for saving in there if saving.estimate_us is not None]
    return SavingView(
        sum(saving.floor_us for saving in there),
        sum(estimates) if estimates else None,
        sum(saving.ceiling_us for saving in there),
    )


def _largest_ceiling(report: Report, index: int) -> SavingView | None:
    steps = max(len(report.steps), 1)
    parts = [
        _part(report, index, finding, saving_view(finding.saving, steps))
        for finding in report.findings
        if index in finding.sites and finding.saving is not None and finding.severity != "info"
    ]
    if not parts:
        return None
    largest = max(parts, key=lambda part: part.ceiling_us)
    return SavingView(largest.floor_us, None, largest.ceiling_us)


def _part(report: Report, index: int, finding: Finding, saving: SavingView) -> SavingView:
    share = _share(report, index, finding.sites)
    estimate = None if saving.estimate_us is None else saving.estimate_us * share
    return SavingView(saving.floor_us * share, estimate, saving.ceiling_us * share)


def _share(report: Report, index: int, sites: Sequence[int]) -> float:
    total = sum(report.sites[site].wait_net_ns for site in sites)
    return report.sites[index].wait_net_ns / total if total > 0 else 1 / len(sites)
