"""The source files of a window, each line with what it costs."""

from __future__ import annotations

from collections.abc import Iterable

from tbprof.model import Report
from tbprof.texts.source import code_origin, wait_note
from tbprof.views.findings import SavingView
from tbprof.views.line_marks import FoundMark, Remarks, added_up, found_marks, site_savings
from tbprof.views.source import (
    LineMark,
    SitePlace,
    SourceFile,
    SourceFiles,
    SourceFilesView,
    SourceFunction,
)


def source_files_view(report: Report) -> SourceFilesView:
    """All files that a site, a recorded call or embedded code is in."""
    savings = site_savings(report)
    names = SourceFiles(report)
    marks = found_marks(report, names, savings)
    remarks = Remarks(report, marks, names)
    by_file: dict[str, list[FoundMark]] = {names.name(text.file): [] for text in report.sources}
    for mark in marks:
        by_file.setdefault(mark.file, []).append(mark)
    files = [_file(path, found, names, remarks) for path, found in by_file.items()]
    files.sort(key=lambda file: (file.library != "", *_most_first(file.saving), -len(file.marks), file.path))
    position = {file.path: at for at, file in enumerate(files)}
    return SourceFilesView(
        files=tuple(files),
        places=tuple(
            SitePlace(mark.own_site, position[mark.file], mark.line)
            for mark in marks
            if mark.own_site is not None
        ),
        elsewhere=remarks.elsewhere(),
        about=code_origin(
            None if report.facts is None else report.facts.first_step, is_embedded=bool(report.sources)
        ),
        commit=None if report.facts is None else report.facts.git_commit,
    )


def _file(path: str, found: list[FoundMark], names: SourceFiles, remarks: Remarks) -> SourceFile:
    lines = sorted({mark.line for mark in found})
    marks = tuple(_line([mark for mark in found if mark.line == line], remarks) for line in lines)
    return SourceFile(
        path=path,
        library=next((mark.library for mark in found if mark.library), ""),
        saving=_own(found),
        findings=sum(len(mark.remarks) for mark in marks),
        functions=_functions(found),
        code=names.code(path),
        marks=marks,
    )


def _line(found: list[FoundMark], remarks: Remarks) -> LineMark:
    """What is known of one line, as one mark of the best kind."""
    best = min(found, key=lambda mark: mark.rank)
    sites = tuple(dict.fromkeys(site for mark in found for site in mark.sites))
    own = [mark for mark in found if mark.kind != "caller"]
    return LineMark(
        line=best.line,
        kind=best.kind,
        function=best.function,
        saving=added_up(mark.saving for mark in own or found),
        note=_note(found),
        sites=sites,
        numbers=remarks.numbers(sites),
        remarks=remarks.at(best.file, best.line),
    )


def _note(found: list[FoundMark]) -> str:
    """What its sites wait together, then what else is to say, once each."""
    on_it = [mark for mark in found if mark.own_site is not None and mark.kind != "def" and not mark.note]
    waits = [wait_note(sum(mark.wait_us for mark in on_it))] if on_it else []
    return "; ".join((*waits, *dict.fromkeys(mark.note for mark in found if mark.note)))


def _own(found: Iterable[FoundMark]) -> SavingView | None:
    """Without what the functions it calls have."""
    return added_up(mark.saving for mark in found if mark.kind != "caller")


def _functions(found: list[FoundMark]) -> tuple[SourceFunction, ...]:
    names = dict.fromkeys(mark.function for mark in found if mark.function)
    rows = []
    for name in names:
        mine = [mark for mark in found if mark.function == name]
        rows.append(SourceFunction(name, min(mark.line for mark in mine), _own(mine)))
    return tuple(sorted(rows, key=lambda row: (*_most_first(row.saving), row.line)))


def _most_first(saving: SavingView | None) -> tuple[float, float]:
    if saving is None:
        return 0.0, 0.0
    return -(saving.estimate_us or 0.0), -saving.ceiling_us
