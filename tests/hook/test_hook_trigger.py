"""The file by which a window is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tbprof.hook.trigger import TRIGGER_NAME, Trigger


def write(folder: Path, text: str, at_s: int) -> None:
    (folder / TRIGGER_NAME).write_text(text)
    os.utime(folder / TRIGGER_NAME, (at_s, at_s))


def test_a_file_asks_once_each_time_that_it_is_written(tmp_path: Path) -> None:
    trigger = Trigger(tmp_path)
    assert trigger.asked_steps(5) is None
    write(tmp_path, "3\n", 1000)
    assert [trigger.asked_steps(5), trigger.asked_steps(5)] == [3, None]
    write(tmp_path, "", 2000)
    assert [trigger.asked_steps(5), trigger.asked_steps(5)] == [5, None]


def test_a_file_of_an_earlier_run_asks_for_nothing(tmp_path: Path) -> None:
    write(tmp_path, "3", 1000)
    assert Trigger(tmp_path).asked_steps(5) is None


@pytest.mark.parametrize("text", ["many", "0", "-1", "101", "9" * 30, "\0"])
def test_nonsense_is_said_and_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    trigger = Trigger(tmp_path)
    write(tmp_path, text, 1000)
    assert trigger.asked_steps(5) is None
    assert "write a number of steps from 1 to 100" in caplog.text


def test_a_folder_of_that_name_is_no_file(tmp_path: Path) -> None:
    trigger = Trigger(tmp_path)
    (tmp_path / TRIGGER_NAME).mkdir()
    assert trigger.asked_steps(5) is None
