"""Which lines of a program a report has something to say about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import get_args

from tbprof.model import Report, Site, SiteIndex, Source
from tbprof.records import dataclass
from tbprof.texts.findings.rule_pages import rule_words
from tbprof.texts.screens.source import called_note, candidate_note, doubt_note, predicted_note, recorded_note
from tbprof.views.base.times import us
from tbprof.views.findings.findings import SavingView
from tbprof.views.source.source import MarkKind
from tbprof.views.source.source_files import SourceFiles

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
    """Of one step, at the site whose place this is."""
    sites: tuple[SiteIndex, ...]
    own_site: SiteIndex | None
    """The site whose place this line is: its own, its `def`, or else its first candidate."""

    @property
    def rank(self) -> int:
        return _BEST_FIRST.index(self.kind)


def found_marks(
    report: Report, names: SourceFiles, savings: tuple[SavingView | None, ...]
) -> tuple[FoundMark, ...]:
    """Of the sites, then of what would wait for a GPU and of other calls that the hook saw."""
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
