"""When windows begin and how long they are, without any training."""

from __future__ import annotations

from pathlib import Path

import pytest

from tbprof.hook.schedule import Schedule
from tbprof.hook.timetable import FIRST_LOOK_STEPS, NEVER, Timetable
from tbprof.hook.trigger import TRIGGER_NAME, Trigger

SECOND_NS = 1_000_000_000


def timetable(folder: Path, schedule: Schedule, max_stall_ns: int = SECOND_NS) -> Timetable:
    return Timetable(schedule, Trigger(folder), max_stall_ns)


def begins(table: Timetable, steps: int) -> list[int]:
    """After which of so many steps a window begins, each over at once."""
    found = []
    for taken in range(steps):
        if table.due(taken) is not None:
            found.append(taken)
            table.end(taken + 2, recorded_steps=1, stall_ns=0)
    return found


def test_windows_follow_the_schedule(tmp_path: Path) -> None:
    schedule = Schedule(skip_first=3, wait=4, warmup=1, active=1, repeat=2)
    assert begins(timetable(tmp_path, schedule), 30) == [7, 13]


def test_without_a_wait_one_step_lies_between(tmp_path: Path) -> None:
    assert begins(timetable(tmp_path, Schedule(skip_first=0, repeat=0)), 9) == [0, 3, 6]


def test_a_window_that_is_asked_for_comes_at_once_and_counts_for_none_of_the_schedule(
    tmp_path: Path,
) -> None:
    table = timetable(tmp_path, Schedule(skip_first=20, active=5, repeat=1))
    (tmp_path / TRIGGER_NAME).write_text("2")
    asked = table.due(4)
    assert asked is not None
    assert (asked.active, asked.warmup) == (2, 3)
    table.end(9, recorded_steps=2, stall_ns=0)
    assert table.due(10) is None
    scheduled = table.due(20)
    assert scheduled is not None
    assert scheduled.active == 5


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
    table = timetable(tmp_path, Schedule(skip_first=0, active=8, repeat=0))
    table.end(11, recorded_steps=8, stall_ns=stall_ns)
    later = table.due(20)
    assert later is not None
    assert later.active == active


def test_it_is_asked_again_when_a_window_is_due_or_the_file_is_to_be_looked_at(tmp_path: Path) -> None:
    table = timetable(tmp_path, Schedule(skip_first=1000))
    assert table.next_look(0, None) == FIRST_LOOK_STEPS
    assert table.next_look(0, SECOND_NS // 10) == 50
    assert table.next_look(990, SECOND_NS // 1000) == 1000
    assert table.next_look(0, 60 * SECOND_NS) == 1
