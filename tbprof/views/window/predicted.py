"""The lines of a run without a GPU that would wait for one, as screens and commands show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tbprof.model import PredictedLine, Report, SourceText, code_line
from tbprof.texts.findings.predicted import kind_name
from tbprof.texts.findings.rule_pages import rule_words

__all__ = ["PredictedRow", "predicted_rows"]


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """Told from what the line calls: never with a time."""

    file: str
    line: int
    function: str
    code: str
    """The line itself; "" where it was not recorded."""
    rule: str
    title: str
    """What the rule says is the case."""
    why: str
    """What the line does, in a few words."""
    per_step: int
    known: Literal["seen", "read"]
    fingerprint: str


def predicted_rows(report: Report) -> tuple[PredictedRow, ...]:
    return tuple(_row(line, report.sources) for line in report.predicted_lines)


def _row(line: PredictedLine, texts: tuple[SourceText, ...]) -> PredictedRow:
    assert line.source.line is not None, "a recorded call has a line"
    return PredictedRow(
        file=line.source.file,
        line=line.source.line,
        function=line.source.function,
        code=code_line(line.source, texts),
        rule=line.rule,
        title=rule_words(line.rule).title,
        why=kind_name(line.kind),
        per_step=line.count,
        known=line.known,
        fingerprint=line.fingerprint,
    )
