"""Ranks that lie in one folder and are not of one training, or are there twice."""

from __future__ import annotations

import dataclasses

import pytest
from job_scenes import job_of

from tbprof.model import HealthFact, Report
from tbprof.views.job.job_view import job_page, ranks_of_one_job
from tbprof.views.job.rank_summary import RankSummary, rank_summary


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    return [built.report() for built in job_of(3)]


@pytest.fixture(scope="module")
def ranks(reports: list[Report]) -> list[RankSummary]:
    return [rank_summary(report, f"node_{rank}", rank) for rank, report in enumerate(reports)]


def of_world(rank: RankSummary, world_size: int | None) -> RankSummary:
    return dataclasses.replace(rank, world_size=world_size)


def test_ranks_of_one_training_are_all_taken(ranks: list[RankSummary]) -> None:
    assert ranks_of_one_job(ranks) == (ranks, [])


def test_of_a_rank_that_is_there_twice_the_first_is_taken(ranks: list[RankSummary]) -> None:
    copied = [ranks[0], ranks[1], dataclasses.replace(ranks[1], worker="node_1 (copy)"), ranks[2]]
    assert ranks_of_one_job(copied) == (ranks, ["node_1 (copy) is left out: node_1 is rank 1, too."])
    assert len(job_page(copied).ranks) == 3


def test_of_two_trainings_in_one_folder_the_later_one_is_taken(ranks: list[RankSummary]) -> None:
    later = [dataclasses.replace(rank, worker=f"then_{rank.rank}", recorded_ns=1) for rank in ranks]
    page = job_page([*ranks, *later])
    assert [row.worker for row in page.ranks] == [rank.worker for rank in later]
    assert "node_0 is left out: then_0 is rank 0, too." in page.notes


def test_a_rank_of_a_smaller_world_is_of_another_training(ranks: list[RankSummary]) -> None:
    mixed = [of_world(ranks[0], 3), of_world(ranks[1], 3), of_world(ranks[2], 2)]
    taken, notes = ranks_of_one_job(mixed)
    assert taken == mixed[:2]
    assert notes == ["node_2 is left out: it is of a training with 2 ranks, the others of one with 3."]


def test_a_world_that_was_not_recorded_may_be_any(ranks: list[RankSummary]) -> None:
    some = [of_world(ranks[0], 3), of_world(ranks[1], None), of_world(ranks[2], None)]
    assert ranks_of_one_job(some) == (some, [])


def test_ranks_beyond_the_world_miss_nobody(ranks: list[RankSummary]) -> None:
    odd = [of_world(ranks[0], 3), dataclasses.replace(of_world(ranks[1], 3), rank=99)]
    assert job_page(odd).missing == (1, 2)


def test_a_trace_that_ends_early_is_named(reports: list[Report]) -> None:
    damaged = dataclasses.replace(reports[1].trace, health=(HealthFact("truncated", "warning", {}),))
    cut = dataclasses.replace(reports[1], trace=damaged)
    page = job_page([rank_summary(reports[0], "a", 0), rank_summary(cut, "b", 1)])
    assert "The trace of rank 1 ends early: its figures are of the part before." in page.notes
