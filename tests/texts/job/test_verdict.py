"""What is said of who is late in a job."""

from __future__ import annotations

import pytest

from tbprof.texts.job import (
    even_sentence,
    late_cause_sentence,
    late_name,
    late_sentence,
    no_collectives_sentence,
)


@pytest.mark.parametrize(
    ("others", "name"),
    [
        ([], "rank 1"),
        (["rank 3"], "rank 1 and rank 3"),
        (["rank 3", "rank 5"], "rank 1, rank 3 and rank 5"),
        (
            [f"rank {at}" for at in range(2, 9)],
            "rank 1 and 7 more that come with it (rank 2, rank 3, rank 4, ...)",
        ),
    ],
)
def test_ranks_that_come_together_are_named_together(others: list[str], name: str) -> None:
    assert late_name("rank 1", others) == name


def test_one_is_late_and_several_are() -> None:
    one = late_sentence(4, 4, 0.25, "rank 1", [], 900.0, 900.0, "copying")
    assert "for rank 1, which is late by" in one
    assert "rank 1 and rank 3, which are late by" in late_sentence(
        4, 4, 0.25, "rank 1", ["rank 3"], 900.0, 900.0, "copying"
    )
    said = late_cause_sentence("rank 1", ["rank 3"], 2, 5, 900.0, 900.0, "copying")
    assert said.startswith(
        "Rank 1 and rank 3 are the late ones in 2 of 5 steps, by 0.9\u202fms a step: copying"
    )


def test_what_a_cause_does_not_explain_is_not_given_to_it() -> None:
    said = late_cause_sentence("rank 1", [], 1, 1, 26_900.0, 15_000.0, "idle with work queued")
    assert "by 26.9\u202fms a step, 15.0\u202fms (56\u202f%) of it: idle" in said


def test_ranks_that_wait_do_not_arrive_together() -> None:
    assert even_sentence(8, 8, 0.001).startswith("8 ranks arrive together")
    assert even_sentence(8, 8, 0.36).startswith("8 ranks wait 36\u202f% of a step for one another")


def test_of_ranks_without_collectives_nothing_is_claimed() -> None:
    assert no_collectives_sentence(2).endswith(": whether one waits for another is not known.")
    assert no_collectives_sentence(1).startswith("No collective was recorded: ")
