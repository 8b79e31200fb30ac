"""A finding's name, and what of its line has no part in it."""

from __future__ import annotations

import pytest

from tbprof.model import code_without_format, fingerprint


@pytest.mark.parametrize(
    ("code", "left"),
    [
        ("total = loss.item()  # read here", "total = loss.item()  "),
        ('print("#", loss.item())', 'print("#", loss.item())'),
        ('print("#", loss.item())  # "told"', 'print("#", loss.item())  '),
        ("total = log(loss.item(),  # the first of several lines", "total = log(loss.item(),  "),
        ("    loss.item())  # the last of them", "    loss.item())  "),
        ('a line of a string that is "open # here', 'a line of a string that is "open # here'),
        ("if loss > 1:  # a branch", "if loss > 1:  "),
    ],
)
def test_a_comment_is_told_from_the_code(code: str, left: str) -> None:
    assert code_without_format(code) == "".join(left.split()).replace("'", '"')


def test_what_a_formatter_changes_is_in_no_name() -> None:
    place = ("SYN01", "train.py", "train_step", ("item",))
    name = fingerprint(*place, 'log("loss", loss.item())')
    assert fingerprint(*place, "log( 'loss',loss.item() )  # printed") == name
    assert fingerprint(*place, 'log("loss", again.item())') != name
