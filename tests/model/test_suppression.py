"""Comments beside a line that ask a rule to be silent about it."""

from __future__ import annotations

import pytest

from tbprof.model import suppression


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x = t.item()  # tbprof: ignore[SYN01] logged once an epoch", "logged once an epoch"),
        ("x = t.item()  # tbprof: ignore[SYN05, SYN01]", ""),
        ("x = t.item()  #tbprof:ignore all of it", "all of it"),
        ("x = t.item()  # tbprof: ignore[SYN02] a branch", None),
        ("x = t.item()  # tbprof: ignore[] nothing", None),
        ("x = t.item()", None),
    ],
)
def test_a_line_suppresses_the_rules_that_it_names(line: str, reason: str | None) -> None:
    assert suppression(line, "SYN01") == reason
