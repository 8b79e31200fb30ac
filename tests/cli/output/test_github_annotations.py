"""Workflow commands of GitHub: what is in a name or a message can't end it or begin another."""

from __future__ import annotations

from tbprof.cli.check_text import github_annotations
from tbprof.views.check import Accepted, Baseline, Budget, CheckView, Found, Recording, Warned
from tbprof.views.check_view import check_view

FOUND = Found(
    fingerprint="f",
    rule="SYN01",
    kind="scalar_read",
    title="A scalar\r\n::error::is 100% read",
    fix="Fix it",
    file="a,b:c%.py",
    line=3,
    function="f",
    code="",
    ops=(),
    per_step=2,
    is_in_every_step=True,
    suppressed=None,
    predicted=True,
)


def view(*findings: Found, **given: object) -> CheckView:
    recording = Recording("x", False, 3, 3, findings, (Warned("LCH01", "high", "slow", "", None),))
    baseline = Baseline(tuple(given.get("baseline", ())), steps=3, is_former=False)
    return check_view([recording], baseline, forbidden=("new",), budgets=[Budget("", 1)])


def lines(*findings: Found, **given: object) -> list[str]:
    return github_annotations(view(*findings, **given), lambda file: file)


def test_marks_in_names_and_messages_are_escaped() -> None:
    assert lines(FOUND)[0] == (
        "::error file=a%2Cb%3Ac%25.py,line=3,title=tbprof SYN01::A scalar%0D%0A::error::is 100%25 read: "
        "2 a step (predicted, no GPU was used). Fix it"
    )


def test_budgets_and_warnings_have_no_file() -> None:
    assert lines() == [
        "::error title=tbprof::3 sync points in a step, 1 allowed",
        "::warning title=tbprof LCH01::slow",
    ]


def test_what_was_accepted_is_not_shown_again() -> None:
    accepted = Accepted("f", "SYN01", FOUND.file, "f", "", 2, "")
    assert not any("SYN01" in line for line in lines(FOUND, baseline=[accepted]))
