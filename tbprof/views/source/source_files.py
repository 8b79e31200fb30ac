"""The files of a report under one name each, and their code."""

from __future__ import annotations

from tbprof.model import Report, Source
from tbprof.views.source.source import CodeBlock


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
