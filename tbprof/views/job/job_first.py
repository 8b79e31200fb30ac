"""What a list of runs says first of a job: what its page says, in a few words."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tbprof.records import dataclass
from tbprof.views.job.job_page import JobPage


@dataclass(frozen=True, slots=True)
class JobFirst:
    sentence: str
    """The verdict of the job; "" where nothing compares its ranks."""
    worker: str = ""
    """The late rank's; "" where no rank is late by so much that it comes before all else."""
    name: str = ""
    """The name of that rank."""
    rule: str = ""
    """What finds that; "" where the reason for it is to be recorded first."""
    order: str = ""
    """What to do on it first."""
    answered_by: tuple[str, ...] = ()
    """The rules that answer the cause: what one of them found on that rank says more than the order."""
    share: float = 0.0
    """The share of a step that the job gains by it, 0 to 1: the estimate, else how late it is."""
    is_estimate: bool = False


NO_JOB = JobFirst("")

JOB_FORM = tuple(f"{JobFirst.__name__}.{field.name}" for field in dataclasses.fields(JobFirst))
"""Changes with what is kept of a job: what another version kept is of no use."""


def job_first(page: JobPage) -> JobFirst:
    """What comes first of a page; the late rank is the one whose own page says so."""
    # Lists of runs are printed without numpy.
    from tbprof.job.blame import UNEXPLAINED
    from tbprof.rules.communication import dst02_late_rank as late_rank

    if page.waiting_share is None:
        return NO_JOB
    late = page.ranks[page.late[0].rank] if page.late else None
    if late is None or late.role is None or not late.role.order:
        return JobFirst(page.verdict)
    if page.late[0].cause == UNEXPLAINED.cause:
        return JobFirst(page.verdict, late.worker, late.name, order=late.role.order)
    estimate_us = next((fix.estimate_us for fix in page.plan if fix.cause == 0), None)
    gained_us = page.late[0].late_us if estimate_us is None else estimate_us
    return JobFirst(
        sentence=page.verdict,
        worker=late.worker,
        name=late.name,
        rule=late_rank.CODE,
        order=late.role.order,
        answered_by=late.role.answered_by,
        share=min(gained_us / page.step_us, 1.0) if page.step_us else 0.0,
        is_estimate=estimate_us is not None,
    )


def first_document(first: JobFirst) -> dict[str, Any]:
    """What is kept of it, as JSON has it."""
    return dataclasses.asdict(first)


def first_of_document(document: Mapping[str, Any]) -> JobFirst:
    """What `first_document` wrote.

    Raises:
        TypeError: Another version wrote it.
        KeyError: Likewise.
    """
    return JobFirst(**{**document, "answered_by": tuple(document["answered_by"])})
