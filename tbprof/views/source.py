"""What the Source view shows: the files that cost, their code as it ran, and what was found in it.

All times are us of one step.
"""

from __future__ import annotations

from typing import Literal

from tbprof.model import Report, SiteIndex, Source
from tbprof.records import dataclass
from tbprof.views.answer import Problem
from tbprof.views.edits import EditRow
from tbprof.views.findings import FindingRow, SavingView

MarkKind = Literal["line", "def", "candidate", "caller", "predicted", "call"]
"""What is known of a line: a site is on it; it is the `def` around one; a site can be on it; it
calls the function that one is in; it would wait for a GPU; the hook saw a call there that cost
nothing. Best first."""


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Neighboring lines."""

    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding at the line where it costs most."""

    finding: FindingRow
    number: int | None
    """Its place in the fix plan, from 1 on."""
    edits: tuple[EditRow, ...]
    """The change of the program's own lines, where it is mechanical."""


@dataclass(frozen=True, slots=True)
class LineMark:
    line: int
    kind: MarkKind
    function: str
    saving: SavingView | None
    """The saving of its sites, or of those in the function it calls; a change at several lines is shared out
    among them by their waits."""
    note: str
    """"" if there is nothing to say."""
    sites: tuple[SiteIndex, ...]
    """Indexes into the window's sites."""
    numbers: tuple[int, ...]
    """The numbers of the changes in the fix plan that it is part of."""
    remarks: tuple[Remark, ...]


@dataclass(frozen=True, slots=True)
class SourceFunction:
    name: str
    line: int
    """Its first one that is marked."""
    saving: SavingView | None


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    library: str
    """"" for the user's own code."""
    saving: SavingView | None
    findings: int
    functions: tuple[SourceFunction, ...]
    """Most saved first."""
    code: tuple[CodeBlock, ...]
    """Ascending; none where none was recorded."""
    marks: tuple[LineMark, ...]
    """Ascending."""


@dataclass(frozen=True, slots=True)
class SitePlace:
    """Where a site is in the files."""

    site: SiteIndex
    file: int
    line: int


@dataclass(frozen=True, slots=True)
class SourceFilesView:
    files: tuple[SourceFile, ...]
    """Most saved first."""
    places: tuple[SitePlace, ...]
    elsewhere: tuple[FindingRow, ...]
    """Findings that no line shows: they are about the window, its steps, or sites without a line."""
    about: str
    """Where the code comes from, or why there is none."""
    commit: str | None
    """The commit of the checkout that the program was started in; null where it was not recorded."""


@dataclass(frozen=True, slots=True)
class SourceAnswer:
    """The answer of `source`: exactly one of the two is there, or none while the trace is read."""

    state: Literal["ready", "reading", "broken"]
    source: SourceFilesView | None
    problem: Problem | None


class SourceFiles:
    """A trace cuts off the start of a path that the hook keeps; the longer name stands for both."""

    def __init__(self, report: Report) -> None:
        recorded = [*(text.file for text in report.sources), *(call.file for call in report.recorded_calls)]
        self._recorded = tuple(dict.fromkeys(recorded))
        self._sources = report.sources

    def name(self, file: str) -> str:
        """The name of the file among those that the hook recorded, else its own."""
        if file in self._recorded:
            return file
        longer = (known for known in self._recorded if known.endswith(("/" + file, "\\" + file)))
        return next(longer, file)

    def code(self, name: str) -> tuple[CodeBlock, ...]:
        """Ascending."""
        mine = sorted((text.first_line, text.text) for text in self._sources if text.file == name)
        return tuple(CodeBlock(first, tuple(text.rstrip("\n").split("\n"))) for first, text in mine)

    def line_of(self, source: Source | None) -> str:
        """The line of a site without its indent; "" where it is not known, or was not recorded."""
        if source is None or source.line is None or not source.exact:
            return ""
        for block in self.code(self.name(source.file)):
            if 0 <= source.line - block.first_line < len(block.lines):
                return block.lines[source.line - block.first_line].strip()
        return ""
