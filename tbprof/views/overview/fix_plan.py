"""The fix plan, and the findings that it leaves out: each with why."""

from __future__ import annotations

from tbprof.model import Finding, PlanRow, Report, Saving
from tbprof.views.base.times import us
from tbprof.views.findings.findings import FindingRow, SavingView, finding_row, saving_view
from tbprof.views.overview.overview import PlanRowView

__all__ = ["added_savings", "findings_left", "findings_with_ceilings", "plan_rows"]


def plan_rows(report: Report, step_us: float) -> tuple[PlanRowView, ...]:
    """The changes in the order of the plan, in us of a step of `step_us`."""
    steps = max(len(report.steps), 1)
    rows = []
    for planned, adds in zip(report.fix_plan, added_savings(report), strict=True):
        finding = report.findings[planned.finding]
        rows.append(
            PlanRowView(
                finding=finding_row(finding, report),
                alone=saving_view(_saving(planned, finding), steps),
                adds=adds,
                step_then_us=max(step_us - us(planned.total_ns) / steps, 0.0),
                share_saved=us(planned.total_ns) / steps / max(step_us, 0.001),
            )
        )
    return tuple(rows)


def added_savings(report: Report) -> tuple[SavingView, ...]:
    """For each row of the plan what it adds to those above it, in us of one step."""
    steps = max(len(report.steps), 1)
    before_ns = (0, *(row.total_ns for row in report.fix_plan))
    return tuple(
        _adds(row, report.findings[row.finding], before, steps)
        for row, before in zip(report.fix_plan, before_ns, strict=False)
    )


def findings_with_ceilings(report: Report) -> tuple[FindingRow, ...]:
    """Those that are worth a look and have no row in the plan, as they come in the report."""
    planned = {row.finding for row in report.fix_plan}
    return tuple(
        finding_row(finding, report)
        for index, finding in enumerate(report.findings)
        if index not in planned and not _is_left(finding)
    )


def findings_left(report: Report) -> tuple[FindingRow, ...]:
    """Those that are real and hardly win anything."""
    planned = {row.finding for row in report.fix_plan}
    return tuple(
        finding_row(finding, report)
        for index, finding in enumerate(report.findings)
        if index not in planned and _is_left(finding)
    )


def _is_left(finding: Finding) -> bool:
    """Not where what it saves is not known: then nobody can say that it is not worth a change."""
    return finding.severity == "info" and finding.saving is not None


def _saving(planned: PlanRow, finding: Finding) -> Saving:
    """Without a saving of its own, which no report of today lacks, only what it adds is known."""
    return Saving(0, None, planned.adds_ns) if finding.saving is None else finding.saving


def _adds(planned: PlanRow, finding: Finding, before_ns: int, steps: int) -> SavingView:
    """Given the rows above: at most what the ceiling leaves above their total."""
    floor_ns = min(_saving(planned, finding).floor_ns, planned.adds_ns)
    ceiling_ns = max(planned.ceiling_ns - before_ns, planned.adds_ns)
    return saving_view(Saving(floor_ns, planned.adds_ns, ceiling_ns), steps)
