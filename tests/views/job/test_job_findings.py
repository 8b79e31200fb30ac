"""What the rules about several ranks find: a late rank, and ranks that call different collectives."""

from __future__ import annotations

import dataclasses

import pytest
from job_scenes import job_of

from tbprof.job.matching import Unmatched
from tbprof.views.job.job_page import JobPage
from tbprof.views.job.job_view import job_findings, job_page
from tbprof.views.job.rank_summary import rank_summary


@pytest.fixture(scope="module")
def page() -> JobPage:
    return job_page([rank_summary(one.report(), f"node_{at}", at) for at, one in enumerate(job_of(3))])


def test_a_late_rank_is_a_finding_with_a_page_and_its_cause(page: JobPage) -> None:
    (finding,) = page.findings
    assert (finding.rule, finding.severity, finding.cause) == ("DST02", "critical", 0)
    assert finding.title == "The other ranks of the job wait for one that comes late"
    assert finding.sentence == page.late[0].sentence


def test_without_an_estimate_lateness_is_at_most_medium(page: JobPage) -> None:
    (finding,) = job_findings(page.late, (), (), page.step_us)
    assert finding.severity == "medium"


@pytest.mark.parametrize(("late_us", "count"), [(9.9, 0), (10.0, 1)])
def test_from_one_percent_of_a_step_on(page: JobPage, late_us: float, count: int) -> None:
    late = (dataclasses.replace(page.late[0], late_us=late_us),)
    assert len(job_findings(late, (), (), 1_000.0)) == count


def test_ranks_that_arrive_together_have_none() -> None:
    reports = [one.report() for one in job_of(3, 0.0)]
    assert job_page([rank_summary(one, f"node_{at}", at) for at, one in enumerate(reports)]).findings == ()


@pytest.mark.parametrize(("reason", "rules"), [("different_kinds", ["DST08"]), ("ambiguous", [])])
def test_different_collectives_in_one_place_are_a_hang_in_waiting(reason: str, rules: list[str]) -> None:
    unmatched = Unmatched("tp", reason, 8)  # type: ignore[arg-type]
    found = job_findings((), (), (unmatched,), None)
    assert [finding.rule for finding in found] == rules
    assert all("different collectives" in finding.sentence for finding in found)
