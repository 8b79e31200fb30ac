"""Whether the parts of a stored report that point at each other point at something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tbprof.model import Finding, RankSequence, Report


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
    if report.communication is not None and report.communication.sequence is not None:
        _check_sequence(report.communication.sequence)


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
    sequence = None if report.communication is None else report.communication.sequence
    for part in () if sequence is None else sequence.parts:
        yield from (index for index in (part.site,) if index is not None)


def _check_sequence(sequence: RankSequence) -> None:
    """Whether its columns are as long as one another, and what they point at is there."""
    of_collectives = (
        sequence.number,
        sequence.stream,
        sequence.start_ns,
        sequence.duration_ns,
        sequence.stretch_ns,
    )
    lengths = {len(column) for column in (sequence.key, *of_collectives)}
    of_parts = {len(column) for column in (sequence.part, sequence.part_ns, sequence.part_count)}
    if sequence.begin_ns is not None:
        lengths |= {len(column) for column in (sequence.step, sequence.launched_ns, sequence.host_wait_ns)}
        of_parts.add(len(sequence.part_work))
    if lengths != {len(sequence.part_begin) - 1} or of_parts != {sequence.part_begin[-1]}:
        raise ValueError("columns of collectives of different lengths")
    if sequence.part_begin[0] or any(begin > end for begin, end in pairwise(sequence.part_begin)):
        raise ValueError("parts of a collective that end before they begin")
    _check("collective", len(sequence.keys), sequence.key)
    _check("part", len(sequence.parts), sequence.part)


def _steps_of_finding(finding: Finding) -> Iterator[int]:
    yield from finding.steps
    yield from (evidence.step for evidence in finding.evidence if evidence.step is not None)


def _check(noun: str, count: int, indexes: Iterable[int]) -> None:
    for index in indexes:
        if not 0 <= index < count:
            raise ValueError(f"the index {index} of a {noun}, of which there are {count}")
