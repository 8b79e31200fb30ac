"""One cause has one name: in the headline, in charts and tables, and on the timeline."""

from __future__ import annotations

import pytest

from tbprof.analysis.device_idle import EMPTY_CAUSES
from tbprof.judge import words
from tbprof.texts.idle import cause_name
from tbprof.views.idle_causes import STACKING

CASES = {"data": ("input",), "launch": ("launch_bound", "host_bound", "host_unrecorded", "item_loop")}
"""The cases of the verdict by cause, where they are called otherwise."""

NO_CASE = {"sync": "its headline is about the waits", "loading": "its headline is that of a cold start"}


@pytest.mark.parametrize("cause", [one for one in STACKING if one not in NO_CASE])
def test_the_headline_says_the_name_of_the_cause(cause: str) -> None:
    for case in CASES.get(cause, (cause,)):
        assert cause_name(cause).lower() in words._because(case).lower()


def test_a_cold_start_says_the_name_of_its_cause() -> None:
    assert cause_name("loading").lower() in words.WHILE_LOADING


def test_every_cause_of_the_analysis_has_a_name() -> None:
    assert set(EMPTY_CAUSES) <= set(STACKING)
    assert all("_" not in cause_name(cause) for cause in STACKING)
    assert len({cause_name(cause) for cause in STACKING}) == len(STACKING)
