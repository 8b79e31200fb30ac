"""Schedules say what they do, and refuse what can't be done."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tbprof
from tbprof.errors import UsageError
from tbprof.hook.schedule import Schedule


def test_a_schedule_prints_the_steps_of_its_first_window() -> None:
    assert str(Schedule()) == (
        "steps 0-9 left alone, steps 10-12 warm-up, steps 13-17 recorded; then nothing more"
    )


def test_parts_without_steps_are_not_printed() -> None:
    schedule = Schedule(skip_first=0, warmup=0, active=1, repeat=2)
    assert str(schedule) == "step 0 recorded; again every 2 steps, 2 windows in all"


def test_the_default_needs_18_steps() -> None:
    assert Schedule().steps_needed == 18


def test_every_puts_one_window_into_each_period() -> None:
    schedule = Schedule.every(1000)
    assert (schedule.wait, schedule.warmup, schedule.active, schedule.repeat) == (992, 3, 5, 0)
    assert "again every 1000 steps, for as long as the run lasts" in str(schedule)


def test_a_period_that_just_fits_has_the_one_step_between_windows() -> None:
    assert Schedule.every(9).wait == 1


def test_a_period_without_room_is_refused() -> None:
    with pytest.raises(UsageError, match="do not fit into a period of 8; give 9 or more"):
        Schedule.every(8)


def test_steps_can_be_given_by_their_numbers() -> None:
    schedule = Schedule.at(100, 5000, warmup=2, active=3)
    assert str(schedule) == (
        "steps 0-97 left alone, steps 98-99 warm-up, steps 100-102 recorded; then steps 5000-5002 recorded"
    )
    assert str(Schedule.at(7, warmup=0, active=1)) == (
        "steps 0-6 left alone, step 7 recorded; then nothing more"
    )


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ((2,), "no room for the warm-up of 3 before step 2; give 3 or more"),
        ((100, 104), "no room for the warm-up of 3 before step 104; give 109 or more"),
        ((100, 50), "no room for the warm-up of 3 before step 50; give 109 or more"),
        ((100, "200"), "a number in steps is '200'; give a whole number"),
    ],
)
def test_step_numbers_without_room_are_refused(steps: tuple[int, ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        Schedule.at(*steps)


@pytest.mark.parametrize("name", ["steps", "slow_steps"])
def test_options_of_another_kind_are_refused_by_name(name: str) -> None:
    with pytest.raises(UsageError, match=f"Schedule: {name} is 3"):
        Schedule(**{name: 3})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["skip_first", "wait", "warmup", "active", "repeat"])
@pytest.mark.parametrize(
    ("value", "advice"), [(-1, "give 0 or more"), (2.5, "give a whole number"), (True, "give a whole number")]
)
def test_numbers_that_mean_nothing_are_refused_by_name(name: str, value: object, advice: str) -> None:
    with pytest.raises(UsageError, match=f"Schedule: {name} is {value}; {advice}"):
        Schedule(**{name: value})  # type: ignore[arg-type]


def test_a_window_without_a_recorded_step_is_refused() -> None:
    with pytest.raises(UsageError, match="active is 0, so that nothing would be recorded"):
        Schedule(active=0)


def test_the_public_name_is_this_class() -> None:
    assert tbprof.Schedule is Schedule


def test_a_schedule_can_be_made_without_torch() -> None:
    code = "import sys, tbprof; print(tbprof.Schedule()); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
