"""The lines of a run without a GPU that would wait for one, as screens and commands show them."""

from __future__ import annotations

import dataclasses
from typing import Literal

from tbprof.model import PredictedLine, Report, SourceText, code_statement
from tbprof.records import dataclass
from tbprof.texts.findings.actions import how_to
from tbprof.texts.findings.inference_reads import ANSWER_ACTION, ANSWER_HOW, ANSWER_KINDS
from tbprof.texts.findings.predicted import OPTION_ACTION, framework_fix, kind_name, waits_words
from tbprof.texts.findings.rule_pages import rule_words


@dataclass(frozen=True, slots=True)
class PredictedRow:
    """Told from what the line calls: never with a time."""

    file: str
    line: int
    function: str
    code: str
    """The statement itself; "" where it was not recorded."""
    rule: str
    title: str
    """What the rule says is the case."""
    why: str
    """What the line does, in a few words."""
    action: str
    """What to do, in the imperative and without its full stop."""
    how: str
    worth: str
    """How many of a step's waits it is; their time nobody knows."""
    per_step: int
    known: Literal["seen", "read"]
    fingerprint: str


_NO_WAITS = ("device_mismatch", "race")
"""Kinds that are worse than a wait: a program that ends, or reads what is not there."""


def predicted_rows(report: Report) -> tuple[PredictedRow, ...]:
    """Errors first, then what drains the device, then what waits for its own copy alone; most often first."""
    lines = sorted(report.predicted_lines, key=_urgency)
    waits = sum(_waits(line) for line in lines)
    rows = tuple(_row(line, report.sources, waits) for line in lines)
    return tuple(map(_of_request, rows, lines)) if _only_infers(report) else rows


def _only_infers(report: Report) -> bool:
    return any(fact.code == "inference" for fact in report.trace.health)


def _of_request(row: PredictedRow, line: PredictedLine) -> PredictedRow:
    """A program that only infers has no loss that could be read less often."""
    if line.kind not in ANSWER_KINDS:
        return row
    return dataclasses.replace(row, action=ANSWER_ACTION, how=ANSWER_HOW)


def _urgency(line: PredictedLine) -> tuple[bool, bool, int]:
    return line.kind not in _NO_WAITS, line.kind == "upload", -line.count


def _waits(line: PredictedLine) -> int:
    return 0 if line.kind in _NO_WAITS else line.count


def _row(line: PredictedLine, texts: tuple[SourceText, ...], waits: int) -> PredictedRow:
    assert line.source.line is not None, "a recorded call has a line"
    words = rule_words(line.rule)
    of_framework = framework_fix(line.source.file, line.source.function, line.kind)
    return PredictedRow(
        file=line.source.file,
        line=line.source.line,
        function=line.source.function,
        code=code_statement(line.source, texts),
        rule=line.rule,
        title=words.title,
        why=kind_name(line.kind),
        action=OPTION_ACTION if of_framework else words.action,
        how=of_framework or how_to(words),
        worth=waits_words(_waits(line), waits),
        per_step=line.count,
        known=line.known,
        fingerprint=line.fingerprint,
    )
