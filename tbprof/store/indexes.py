"""Whether the parts of a stored report that point at each other point at something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tbprof.model import Finding, Report

__all__ = ["check_indexes"]


def check_indexes(report: Report) -> None:
    """Check the indexes of steps, sites and findings, so that no screen trips over one.

    Raises:
        ValueError: One leads nowhere; the message completes "it holds".
    """
    num_steps = len(report.steps)
    _check("step", num_steps, _steps_named(report))
    _check("site", len(report.sites), _sites_named(report))
    _check("finding", len(report.findings), (row.finding for row in report.fix_plan))
    if any(len(site.per_step) not in (0, num_steps) for site in report.sites):
        raise ValueError("counts of more or fewer steps than there are")


def _steps_named(report: Report) -> Iterator[int]:
    instances = (site.instance for site in report.sites)
    yield from (one.step for one in instances if one is not None and one.step is not None)
    for finding in report.findings:
        yield from _steps_of_finding(finding)


def _sites_named(report: Report) -> Iterator[int]:
    for finding in report.findings:
        yield from finding.sites
    for place in () if report.idle is None else report.idle.places:
        yield from (index for index in (place.site, place.drained_by) if index is not None)


def _steps_of_finding(finding: Finding) -> Iterator[int]:
    yield from finding.steps
    yield from (evidence.step for evidence in finding.evidence if evidence.step is not None)


def _check(noun: str, count: int, indexes: Iterable[int]) -> None:
    for index in indexes:
        if not 0 <= index < count:
            raise ValueError(f"the index {index} of a {noun}, of which there are {count}")
