"""What is said beside a line of a change."""

from __future__ import annotations

import pytest

from tbprof.line_rules import LINE_KINDS
from tbprof.texts.check_outcomes import (
    budget_sentence,
    failure_sum,
    found_sentence,
    how_often,
    unjudged_sum,
    warned_sentence,
)
from tbprof.texts.predicted import kind_name


def test_a_finding_says_how_often_and_what_to_do() -> None:
    text = found_sentence("A read", "Defer it.", "1,200 a step", predicted=False)
    assert text == "A read: 1,200 a step. Defer it."
    assert "(predicted, no GPU was used)" in found_sentence("A read", "", "1 a step", predicted=True)


@pytest.mark.parametrize(
    ("times", "ran_in", "of_steps", "words"),
    [
        (1200, 3, 3, "1,200 a step"),
        (1, 1, 1, "1 a step"),
        (1, 1, 3, "1 in 1 of 3 steps"),
        (2, 1, 3, "2 in 1 of 3 steps"),
        (2, 2, 3, "2 each in 2 of 3 steps"),
        (12, 1, 0, "12 in all"),
    ],
)
def test_how_often_is_of_the_steps_in_which_it_ran(
    times: int, ran_in: int, of_steps: int, words: str
) -> None:
    assert how_often(times, ran_in=ran_in, of_steps=of_steps) == words


def test_where_nothing_took_a_step_nothing_is_said_of_one() -> None:
    assert budget_sentence(3, "", 1, has_steps=False) == "3 sync points in the whole run, 1 allowed"


def test_a_warning_names_its_place_if_it_has_one() -> None:
    assert warned_sentence("Short kernels", "loss", "at most 3 %") == "Short kernels in loss (at most 3 %)"
    assert warned_sentence("Short kernels", "", "at most 3 %") == "Short kernels (at most 3 %)"


def test_a_budget_names_what_it_is_of() -> None:
    assert budget_sentence(3, "", 1, has_steps=True) == "3 sync points in a step, 1 allowed"
    assert budget_sentence(3, "SYN01", 1, has_steps=True) == "3 SYN01 in a step, 1 allowed"


def test_a_budget_names_the_first_recordings_that_lack_its_figure() -> None:
    five = [f"w{number}.json" for number in range(5)]
    text = budget_sentence(12.34, "idle", 20, has_steps=True, is_share=True, unrecorded=five)
    assert text == (
        "12.3 % idle of the steps, 20 % allowed; "
        "idle was not recorded in w0.json, w1.json, w2.json and 2 more"
    )


def test_what_fails_is_summed_up() -> None:
    assert failure_sum(1, [], 0) == "1 finding is forbidden"
    assert failure_sum(0, ["idle"], 0) == "over the budget of idle"
    assert (
        failure_sum(2, ["idle", "SYN01"], 0) == "2 findings are forbidden, over the budget of idle and SYN01"
    )


def test_what_could_not_be_judged_is_summed_up() -> None:
    assert unjudged_sum(3, 8, []) == "3 of 8 windows could not be judged"
    assert unjudged_sum(0, 8, ["SYN10", "the budget of idle"]) == (
        "SYN10 and the budget of idle could not be judged"
    )


def test_every_kind_has_words_and_one_of_tomorrow_its_name() -> None:
    assert all(" " in kind_name(kind) for kind in LINE_KINDS)
    assert kind_name("graph_break") == "graph break"
