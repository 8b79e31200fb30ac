"""What is said beside lines of code."""

from __future__ import annotations

import pytest

from tbprof.model import Source
from tbprof.texts.source import candidate_note, code_origin, doubt_note, wait_note


@pytest.mark.parametrize(
    ("line", "candidates", "doubt"),
    [
        (7, (), "line of its def; the call's own line was not recorded"),
        (7, (9,), "line of its def; the call is on 9"),
        (7, (9, 14), "line of its def; the call is on one of 9, 14"),
        (None, (9, 14), "the call is on one of 9, 14"),
        (None, tuple(range(1, 10)), "the call is on one of 1, 2, 3, 4, 5, 6 and 3 more"),
    ],
)
def test_what_is_not_known_of_a_line(line: int | None, candidates: tuple[int, ...], doubt: str) -> None:
    assert doubt_note(Source("a.py", line, "f", exact=False, candidates=candidates)) == doubt


def test_an_exact_line_has_no_doubt() -> None:
    assert doubt_note(Source("a.py", 7, "f", exact=True, candidates=())) == ""


def test_a_copy_that_blocks_nothing_does_not_wait() -> None:
    assert wait_note(1_250.0) == "waits 1.3\u202fms a step"
    assert wait_note(0.0) == "copies without waiting"
    assert candidate_note((9, 14)) == "one of 9, 14"


def test_where_code_comes_from() -> None:
    assert "1,120" in code_origin(1120, is_embedded=True)
    assert "when it ran" in code_origin(None, is_embedded=True)
    assert "embed_source" in code_origin(1120, is_embedded=False)
