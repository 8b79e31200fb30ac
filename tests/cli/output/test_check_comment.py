"""A comment on a pull request: what fails first, and no name of a program becomes markup."""

from __future__ import annotations

import dataclasses

from tbprof.cli.check_text import check_comment
from tbprof.views.check import Baseline, Budget, Found, Recording
from tbprof.views.check_view import check_view

FOUND = Found(
    fingerprint="f",
    rule="SYN01",
    kind="scalar_read",
    title="A scalar is read back",
    fix="Fix it.",
    file="train.py",
    line=3,
    function="f",
    code="total += loss.item()  # `</code>` @all",
    ops=(),
    per_step=2,
    is_in_every_step=True,
    suppressed=None,
    predicted=True,
)


def comment(*findings: Found, allowed: int = 5) -> str:
    recording = Recording("x", True, 3, 3, findings, ())
    baseline = Baseline((), steps=3, is_former=False)
    view = check_view([recording], baseline, forbidden=("new",), budgets=[Budget("", allowed)])
    return check_comment(view, lambda file: f"src/{file}")


def test_a_line_stands_with_its_place_and_its_code_as_text() -> None:
    head, *_, item = comment(FOUND).rstrip().split("\n")
    assert head == "### tbprof: failed, 1 line that is not accepted"
    assert item.startswith("- **fails** SYN01 <code>src/train.py:3</code>: A scalar is read back: 2 a step")
    assert item.endswith("<br><code>total += loss.item()  &#35; &#96;&#60;/code&#62;&#96; &#64;all</code>")


def test_of_a_framework_s_own_line_its_option_is_told() -> None:
    option = "The Trainer asks this of every loss: logging_nan_inf_filter=False turns it off."
    said = comment(dataclasses.replace(FOUND, option=option))
    assert option in said
    assert "Fix it." not in said


def test_what_passes_says_so() -> None:
    assert comment().startswith("### tbprof: passed, 0 lines that are not accepted\n")


def test_a_budget_that_is_exceeded_is_said_before_any_line() -> None:
    assert "\n\n- **fails**: 3 sync points in a step, 2 allowed\n- **fails** SYN01 " in comment(
        FOUND, allowed=2
    )
