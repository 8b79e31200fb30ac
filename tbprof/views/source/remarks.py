"""Findings as remarks in the code: each once in a file, at the line where it costs most there."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.model import Report
from tbprof.views.findings.actions import rank
from tbprof.views.findings.edits import EditRow, mechanical_edits
from tbprof.views.findings.findings import FindingRow, SavingView, finding_row, saving_view
from tbprof.views.source.line_marks import FoundMark
from tbprof.views.source.source import Remark
from tbprof.views.source.source_files import SourceFiles


class Remarks:
    def __init__(self, report: Report, marks: Sequence[FoundMark], names: SourceFiles) -> None:
        self._report = report
        self._names = names
        self._actions = rank(report).actions
        self._numbers = {
            index: at + 1 for at, action in enumerate(self._actions) for index in action.findings
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
        number = self._numbers.get(index)
        steps = max(len(self._report.steps), 1)
        action = None if number is None else self._actions[number - 1]
        saving = finding.saving if action is None else action.saving
        return Remark(
            finding=finding_row(finding, self._report),
            number=number,
            saving=None if saving is None else saving_view(saving, steps),
            is_joint=action is not None and len(action.findings) > 1,
            edits=self._edits(finding.rule, file, lines),
        )

    def _edits(self, rule: str, file: str, lines: frozenset[int]) -> tuple[EditRow, ...]:
        return tuple(
            edit
            for block in self._names.code(file)
            for edit in mechanical_edits(rule, block.first_line, block.lines, lines)
        )


def _ceiling(saving: SavingView | None) -> float:
    return 0.0 if saving is None else saving.ceiling_us
