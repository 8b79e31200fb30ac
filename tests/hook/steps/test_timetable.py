"""When windows begin and how long they are, without any training."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.hook.schedule import Schedule
from tbprof.hook.timetable import FIRST_LOOK_STEPS, NEVER, Timetable
from tbprof.hook.trigger import TRIGGER_NAME, Request, Trigger

SECOND_NS = 1_000_000_000


def timetable(
    folder: Path, schedule: Schedule, *, max_stall_ns: int = SECOND_NS, origin: int = 0
) -> Timetable:
    return Timetable(schedule, Trigger(folder, rank=0), max_stall_ns, origin)


def end(table: Timetable, steps_taken: int, *, begun_by: str = "schedule", recorded_steps: int = 1) -> None:
    """A window is over that held nobody up."""
    table.end(steps_taken, begun_by=begun_by, recorded_steps=recorded_steps, stall_ns=0, step_ns=None)


def begins(table: Timetable, steps: range) -> list[int]:
    """After which of these steps a window begins, each two steps long."""
    found: list[int] = []
    for taken in steps:
        if (not found or taken > found[-1] + 2) and table.due(taken) is not None:
            found.append(taken)
            end(table, taken + 2)
    return found


def test_windows_follow_the_schedule(tmp_path: Path) -> None:
    schedule = Schedule(skip_first=3, wait=4, warmup=1, active=1, repeat=2)
    assert begins(timetable(tmp_path, schedule), range(30)) == [7, 13]


def test_without_a_wait_one_step_lies_between(tmp_path: Path) -> None:
    schedule = Schedule(skip_first=0, warmup=1, active=1, repeat=0)
    assert begins(timetable(tmp_path, schedule), range(9)) == [0, 3, 6]


def test_windows_begin_at_the_numbers_that_were_given(tmp_path: Path) -> None:
    schedule = Schedule.at(4, 20, 25, warmup=1, active=1)
    assert begins(timetable(tmp_path, schedule), range(40)) == [3, 19, 24]


def test_one_that_was_held_up_moves_none_of_the_others(tmp_path: Path) -> None:
    """So that the ranks of a training go on recording the same steps."""
    schedule = Schedule(skip_first=2, wait=7, warmup=1, active=1, repeat=0)
    table = timetable(tmp_path, schedule)
    assert table.due(9) is not None
    table.give_way(9)
    assert begins(table, range(10, 40)) == [11, 18, 27, 36]


@pytest.mark.parametrize(
    ("schedule", "starts"),
    [
        (Schedule(skip_first=10, warmup=1, active=1), [5010]),
        (Schedule(skip_first=10, wait=97, warmup=1, active=1, repeat=0), [5057, 5156]),
        (Schedule.at(100, 5051, warmup=1, active=1), [5050]),
    ],
    ids=["once", "again and again", "at numbers"],
)
def test_a_training_that_goes_on_from_a_checkpoint_has_its_own_numbers(
    tmp_path: Path, schedule: Schedule, starts: list[int]
) -> None:
    """Start-up steps are left alone again; what comes every 99 steps stays where it was: 107 + 50 x 99."""
    assert begins(timetable(tmp_path, schedule, origin=5000), range(5000, 5210)) == starts


def test_a_window_that_is_asked_for_comes_at_once_and_counts_for_none_of_the_schedule(
    tmp_path: Path,
) -> None:
    table = timetable(tmp_path, Schedule(skip_first=20, active=5, repeat=1))
    (tmp_path / TRIGGER_NAME).write_text("2")
    asked = table.due(4)
    assert asked is not None
    assert (asked.schedule.active, asked.schedule.warmup, asked.begun_by) == (2, 3, "trigger")
    end(table, 9, begun_by="trigger", recorded_steps=2)
    assert table.due(10) is None
    scheduled = table.due(20)
    assert scheduled is not None
    assert (scheduled.schedule.active, scheduled.begun_by) == (5, "schedule")


def test_one_that_is_asked_for_can_have_its_step(tmp_path: Path) -> None:
    table = timetable(tmp_path, Schedule(skip_first=NEVER, warmup=3))
    table.ask(Request(2, "trigger", first_step=100))
    assert table.next_look(50, SECOND_NS) == 55
    assert table.next_look(95, SECOND_NS) == 97
    assert table.due(96) is None
    assert table.due(97) is not None


def test_one_that_is_asked_for_waits_until_another_profiler_has_ended(tmp_path: Path) -> None:
    table = timetable(tmp_path, Schedule(skip_first=NEVER, warmup=1, active=2))
    (tmp_path / TRIGGER_NAME).write_text("2")
    assert table.due(4) is not None
    table.give_way(4)
    assert table.due(6) is None
    assert table.due(7) is not None


@pytest.mark.parametrize(
    ("stall_ns", "active"),
    [(SECOND_NS // 2, 8), (SECOND_NS, 8), (2 * SECOND_NS, 4), (7 * SECOND_NS, 1), (100 * SECOND_NS, 1)],
)
def test_a_window_that_held_the_training_up_makes_the_next_ones_shorter(
    tmp_path: Path, stall_ns: int, active: int
) -> None:
    table = timetable(tmp_path, Schedule(skip_first=0, active=8, repeat=2))
    table.end(11, begun_by="schedule", recorded_steps=8, stall_ns=stall_ns, step_ns=1)
    later = table.due(20)
    assert later is not None
    assert later.schedule.active == active


def test_the_windows_of_a_long_run_take_a_thousandth_of_its_time(tmp_path: Path) -> None:
    """Of 1000 steps of 50 ms 50 ms, where a window of 5 steps held it up for 125 ms."""
    table = timetable(tmp_path, Schedule.every(1000))
    table.end(1010, begun_by="schedule", recorded_steps=5, stall_ns=125_000_000, step_ns=50_000_000)
    later = table.due(2010)
    assert later is not None
    assert later.schedule.active == 2


def test_it_is_asked_again_when_a_window_is_due_or_the_file_is_to_be_looked_at(tmp_path: Path) -> None:
    table = timetable(tmp_path, Schedule(skip_first=1000))
    assert table.next_look(0, None) == FIRST_LOOK_STEPS
    assert table.next_look(0, SECOND_NS // 10) == 50
    assert table.next_look(990, SECOND_NS // 1000) == 1000
    assert table.next_look(0, 60 * SECOND_NS) == 1
