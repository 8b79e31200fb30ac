"""Why a finding is as bad as it is, in words."""

from __future__ import annotations

from tbprof.texts.figures.places import scope_of
from tbprof.texts.finding_notes import severity_reason, severity_scale

STEP, WINDOW = scope_of(marks_steps=True), scope_of(marks_steps=False)


def test_a_severity_says_its_bracket() -> None:
    assert severity_reason(None, STEP) == "no saving is estimated"
    assert severity_reason((0, 0), STEP) == "nothing can be saved"
    assert severity_reason((0, 0.02), STEP) == "at most 2.0\u202f% of a step"
    assert severity_reason((0.02, 0.02), STEP) == "2.0\u202f% of a step"
    said = severity_reason((0.01, 0.15), WINDOW)
    assert said == "at least 1.0\u202f%, at most 15\u202f% of the window"


def test_the_scale_says_where_upper_limits_stand() -> None:
    said = dict(severity_scale(WINDOW))
    assert said["high"] == "from 3.0\u202f% of the window on"
    assert said["medium"] == "from 1.0\u202f% of the window on, or more that is only an upper limit"
    assert said["low"] == "less, or an upper limit beside a larger cause"
