"""What fails a build and what does not."""

from __future__ import annotations

import pytest
from check_samples import FOUND, accepted, answer, found, recording

from tbprof.views.check import Budget, Warned

UPLOAD = found(fingerprint="b", rule="CPY05", kind="upload")


def test_nothing_is_forbidden_unless_somebody_says_so() -> None:
    assert answer(recording(FOUND)).passed


@pytest.mark.parametrize(
    ("word", "fails"),
    [
        ("new", True),
        ("SYN01", True),
        ("SYN", True),
        ("scalar_read", True),
        ("SYN02", False),
        ("upload", False),
    ],
)
def test_a_finding_fails_for_the_words_that_mean_it(word: str, fails: bool) -> None:
    shown = answer(recording(FOUND), forbidden=[word])
    assert shown.passed is not fails
    assert shown.rows[0].fails is fails


def test_what_the_baseline_has_is_not_forbidden() -> None:
    shown = answer(recording(FOUND), baseline=[accepted(reason="logged")], forbidden=["new", "SYN01"])
    assert shown.passed
    assert (shown.rows[0].state, shown.rows[0].reason) == ("accepted", "logged")


@pytest.mark.parametrize(("per_step", "state"), [(1, "accepted"), (2, "accepted"), (3, "more")])
def test_more_of_it_in_a_step_than_was_accepted_is_new(per_step: int, state: str) -> None:
    baseline = [accepted(per_step=2)]
    shown = answer(recording(found(per_step=per_step)), baseline=baseline, forbidden=["new"])
    assert shown.rows[0].state == state
    assert shown.passed is (state == "accepted")


def test_what_a_comment_suppresses_is_listed_and_not_forbidden() -> None:
    shown = answer(recording(found(suppressed="once an epoch")), forbidden=["new"])
    assert shown.passed
    assert (shown.rows[0].state, shown.rows[0].reason) == ("suppressed", "once an epoch")


def test_a_baseline_that_is_out_of_date_says_what_is_gone() -> None:
    gone = accepted(fingerprint="c")
    assert answer(recording(FOUND), baseline=[accepted(), gone]).gone == (gone,)


@pytest.mark.parametrize(("allowed", "passed"), [(3, True), (2, False)])
def test_a_budget_holds_sync_points_of_one_step(allowed: int, passed: bool) -> None:
    shown = answer(recording(FOUND, sync_points=3), budgets=[Budget("", allowed)])
    assert shown.passed is passed
    assert (shown.budgets[0].found, shown.budgets[0].is_exceeded) == (3, not passed)


def test_a_budget_of_a_kind_adds_up_what_is_not_suppressed() -> None:
    findings = (UPLOAD, found(fingerprint="c", kind="upload", per_step=2))
    silent = found(fingerprint="d", kind="upload", per_step=9, suppressed="")
    shown = answer(recording(*findings, silent, FOUND), budgets=[Budget("upload", 3), Budget("CPY05", 0)])
    assert [row.found for row in shown.budgets] == [3, 1]
    assert [row.is_exceeded for row in shown.budgets] == [False, True]


def test_a_finding_of_two_ranks_is_listed_once_with_the_most_of_a_step() -> None:
    shown = answer(recording(FOUND), recording(found(per_step=4)))
    assert [row.found.per_step for row in shown.rows] == [4]


def test_ranks_are_no_sum_in_a_budget() -> None:
    both = (recording(sync_points=2), recording(sync_points=3))
    assert answer(*both, budgets=[Budget("", 3)]).passed


def test_a_budget_says_whose_figure_it_is() -> None:
    both = (recording(name="a.json", sync_points=2), recording(name="b.json", sync_points=3))
    (row,) = answer(*both, budgets=[Budget("", 2)]).budgets
    assert (row.worst, row.text) == ("b.json", "3 sync points in a step of b.json, 2 allowed")
    (row,) = answer(recording(shares={"idle": 78.7}), budgets=[Budget("idle", 50)]).budgets
    assert (row.worst, row.text) == ("", "78.7 % idle of the steps, 50 % allowed")


def test_a_budget_of_what_was_not_recorded_can_t_be_judged() -> None:
    shown = answer(recording(name="cpu.json"), budgets=[Budget("idle", 1), Budget("", 3)])
    assert (shown.verdict, shown.fails) == ("not judged", False)
    assert [row.found for row in shown.budgets] == [None, 1]
    assert shown.budgets[0].text == "idle was not recorded in cpu.json: the budget can't be judged"


@pytest.mark.parametrize(("allowed", "verdict"), [(40, "passed"), (39, "failed")])
def test_a_budget_is_judged_of_the_recordings_that_have_the_figure(allowed: int, verdict: str) -> None:
    both = (recording(name="gpu.json", shares={"idle": 39.5}), recording(name="cpu.json"))
    shown = answer(*both, budgets=[Budget("idle", allowed)])
    assert shown.verdict == verdict
    assert shown.budgets[0].unrecorded == ("cpu.json",)
    assert shown.budgets[0].text.endswith(" % allowed; idle was not recorded in cpu.json")


def test_a_window_that_could_not_be_judged_is_no_silent_pass() -> None:
    cut = recording(name="cut.json", gap="cut.json is cut off")
    shown = answer(recording(FOUND), cut, forbidden=["SYN02"])
    assert (shown.passed, shown.verdict) == (False, "not judged")
    assert (shown.unjudged_recordings, shown.unjudged) == (("cut.json",), ("cut.json is cut off",))
    assert answer(recording(FOUND), cut, forbidden=["SYN01"]).verdict == "failed"


@pytest.mark.parametrize(
    ("unchecked", "verdict"),
    [((["SYN10"], ["SYN10", "SYN"]), "not judged"), ((["SYN10"], []), "passed"), ((["SYN"],), "passed")],
)
def test_a_rule_that_could_look_nowhere_can_t_be_forbidden(
    unchecked: tuple[list[str], ...], verdict: str
) -> None:
    windows = [recording(unchecked=frozenset(words)) for words in unchecked]
    assert answer(*windows, forbidden=["SYN10"]).verdict == verdict
    assert answer(*windows, budgets=[Budget("SYN10", 0)]).verdict == verdict


def test_a_time_only_warns() -> None:
    slow = Warned("LCH01", "critical", "The kernels are too short", "", None)
    shown = answer(recording(warned=(slow,)), forbidden=["new", "LCH01", "LCH"])
    assert shown.passed
    assert shown.warned == (slow,)


def test_what_is_new_comes_first() -> None:
    findings = (found(fingerprint="a", suppressed=""), FOUND, found(fingerprint="z", file="a.py"))
    shown = answer(recording(*findings), baseline=[accepted()])
    assert [row.state for row in shown.rows] == ["new", "accepted", "suppressed"]
