"""Ranks that are not compared: each is counted once, and nothing is said of one that contradicts the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
from job_scenes import job_of

from tbprof.views.job.job_page import JobPage, RankProblem, UnreadRank
from tbprof.views.job.job_view import job_page
from tbprof.views.job.rank_summary import RankSummary, rank_summary


@pytest.fixture(scope="module")
def ranks() -> list[RankSummary]:
    return [rank_summary(built.report(), f"w{rank}", rank) for rank, built in enumerate(job_of(3))]


def in_world(ranks: Sequence[RankSummary], world_size: int) -> list[RankSummary]:
    return [dataclasses.replace(rank, world_size=world_size) for rank in ranks]


def unnamed(*workers: str) -> list[RankProblem]:
    return [RankProblem(None, worker, f"{worker}.json is empty.") for worker in workers]


def told(page: JobPage) -> str:
    return " ".join([page.verdict, page.detail, *page.notes])


def test_files_without_a_rank_are_the_ranks_that_seem_to_be_missing(ranks: list[RankSummary]) -> None:
    page = job_page(in_world(ranks, 5), unnamed("w3", "w4"))
    assert page.verdict.startswith("The 3 ranks compared of 5:")
    assert page.detail.startswith("w3, w4 are not compared: if one of them is the late one")
    assert page.notes[0] == "Ranks 3, 4 are most likely w3, w4, whose files tell no rank of this job."
    assert page.missing == ()
    assert "recorded no window" not in told(page)


def test_one_file_without_a_rank_is_counted_once(ranks: list[RankSummary]) -> None:
    page = job_page(in_world(ranks, 4), unnamed("w3"))
    assert page.verdict.startswith("The 3 ranks compared of 4:")
    assert page.detail.startswith("w3 is not compared: if it is the late one")
    assert page.notes[0] == "Rank 3 is most likely w3, whose file tells no rank of this job."


def test_of_more_missing_ranks_than_files_some_recorded_no_window(ranks: list[RankSummary]) -> None:
    page = job_page(in_world(ranks, 6), unnamed("w5"))
    assert page.verdict.startswith("The 3 ranks compared of 6:")
    assert page.detail.startswith("2 ranks without a window, w5 are not compared: if one of them")
    assert page.notes[0] == (
        "Of ranks 3, 4, 5 most likely 2 recorded no window: w5, whose file tells no rank of this job, "
        "is the other one."
    )
    assert page.missing == (3, 4, 5)


def test_more_files_than_ranks_are_as_many_ranks(ranks: list[RankSummary]) -> None:
    page = job_page(in_world(ranks, 4), unnamed("w3", "w4"))
    assert page.verdict.startswith("The 3 ranks compared of 5:")
    assert page.notes[0] == "Rank 3 is most likely among w3, w4, whose files tell no rank of this job."
    whole = job_page(in_world(ranks, 3), unnamed("w3"))
    assert whole.verdict.startswith("The 3 ranks compared of 4:")
    assert whole.notes[0] == "w3 is left out: w3.json is empty."


@pytest.mark.parametrize("number", [None, -1, 99])
def test_ranks_that_are_compared_without_a_number_of_the_job_are_not_missing(
    ranks: list[RankSummary], number: int | None
) -> None:
    first, *others = in_world(ranks, 3)
    page = job_page([first, *(dataclasses.replace(rank, rank=number) for rank in others[:1])])
    assert page.verdict.startswith("The 2 ranks compared of 3:")
    strange = [dataclasses.replace(rank, rank=None) for rank in others]
    page = job_page([first, dataclasses.replace(strange[0], rank=number), strange[1]])
    assert page.verdict.startswith("3 ranks: ")
    assert page.missing == ()
    assert "recorded no window" not in told(page)


def test_ranks_of_another_training_have_windows(ranks: list[RankSummary]) -> None:
    first, late, _ = in_world(ranks, 4)
    small = dataclasses.replace(ranks[2], world_size=2)
    page = job_page([first, late, small, dataclasses.replace(small, rank=3, worker="w3")])
    assert page.verdict.startswith("The 2 ranks compared of 4:")
    assert page.detail.startswith("Rank 2, rank 3 are not compared")
    assert page.notes == (
        "Ranks 2, 3 have windows of another training only: the figures are those of the others.",
        "w2 is left out: it is of a training with 2 ranks, the others of one with 4.",
        "w3 is left out: it is of a training with 2 ranks, the others of one with 4.",
    )


@pytest.mark.parametrize("rank", [3, None])
def test_of_a_rank_that_is_being_read_nothing_is_told_yet(ranks: list[RankSummary], rank: int | None) -> None:
    page = job_page(in_world(ranks, 4), reading=[UnreadRank(rank, "w3")])
    assert page.verdict.startswith("The 3 ranks compared of 4:")
    assert (page.missing, page.notes) == ((), ())
    more = job_page(in_world(ranks, 5), reading=[UnreadRank(rank, "w3")])
    assert more.verdict.startswith("The 3 ranks compared of 5:")
    assert more.missing == (() if rank is None else (4,))
