"""The option for windows after slow steps: what it says, and what it refuses."""

from __future__ import annotations

import pytest

import tbprof
from tbprof.errors import UsageError
from tbprof.hook.schedule import SlowSteps


def test_it_says_what_it_does_and_a_schedule_says_it_too() -> None:
    schedule = tbprof.Schedule(slow_steps=tbprof.SlowSteps(factor=4, cool_down=50, at_most=2))
    assert str(schedule).endswith("; after a step of 4 x the median, 2 times at most and 50 steps apart")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"factor": 1}, "factor is 1; give a number above 1"),
        ({"factor": float("nan")}, "factor is nan; give a number above 1"),
        ({"factor": "3"}, "factor is '3'; give a number above 1"),
        ({"cool_down": -1}, "cool_down is -1; give 0 or more"),
        ({"at_most": 0}, "at_most is 0; give 1 or more"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"SlowSteps: {sentence}"):
        SlowSteps(**wrong)
