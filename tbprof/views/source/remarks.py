"""Findings as remarks in the code: each once in a file, at the line where it costs most there."""

from __future__ import annotations

from collections.abc import Sequence

from tbprof.model import Report
from tbprof.views.findings.edits import EditRow, mechanical_edits
from tbprof.views.findings.findings import FindingRow, SavingView, finding_row, saving_view
from tbprof.views.overview.fix_plan import added_savings
from tbprof.views.source.line_marks import FoundMark
from tbprof.views.source.source import Remark
from tbprof.views.source.source_files import SourceFiles

__all__ = ["Remarks"]


class Remarks:
    def __init__(self, report: Report, marks: Sequence[FoundMark], names: SourceFiles) -> None:
        self._report = report
        self._names = names
        self._added = added_savings(report)
        self._plan = {row.finding: at for at, row in enumerate(report.fix_plan)}
        self._marks = [mark for mark in marks if mark.own_site is not None]
        self._at: dict[tuple[str, int], list[Remark]] = {}
        for index in range(len(report.findings)):
            self._place(index)

    def at(self, file: str, line: int) -> tuple[Remark, ...]:
        """Those of the plan first, in its order."""
        found = self._at.get((file, line), [])
        return tuple(sorted(found, key=lambda remark: (remark.number is None, remark.number or 0)))

    def numbers(self, sites: Sequence[int]) -> tuple[int, ...]:
        """Numbers of the changes in the fix plan that the sites are part of, ascending."""
        findings = self._report.findings
        return tuple(
            at + 1
            for at, row in enumerate(self._report.fix_plan)
            if not set(sites).isdisjoint(findings[row.finding].sites)
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
        at = self._plan.get(index)
        steps = max(len(self._report.steps), 1)
        alone = None if finding.saving is None else saving_view(finding.saving, steps)
        return Remark(
            finding=finding_row(finding, self._report),
            number=None if at is None else at + 1,
            saving=alone if at is None else self._added[at],
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
