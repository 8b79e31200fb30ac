"""What each site has of the savings of its findings, so that lines and files can be weighed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tbprof.model import Finding, Report
from tbprof.views.findings.actions import added_savings
from tbprof.views.findings.findings import SavingView, saving_view


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
