"""The file by which a window is asked for."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tbprof.hook.trigger import PATIENCE_S, TRIGGER_NAME, Request, Trigger


def write(folder: Path, text: str, at_s: int) -> None:
    (folder / TRIGGER_NAME).write_text(text)
    os.utime(folder / TRIGGER_NAME, (at_s, at_s))


def test_a_file_asks_once_each_time_that_it_is_written(tmp_path: Path) -> None:
    trigger = Trigger(tmp_path, rank=0)
    assert trigger.request(5) is None
    write(tmp_path, "3\n", 1000)
    assert [trigger.request(5), trigger.request(5)] == [Request(3, "trigger"), None]
    write(tmp_path, "", 2000)
    assert [trigger.request(5), trigger.request(5)] == [Request(5, "trigger"), None]


def test_a_file_of_an_earlier_run_asks_for_nothing(tmp_path: Path) -> None:
    write(tmp_path, "3", 1000)
    assert Trigger(tmp_path, rank=0).request(5) is None


def test_some_ranks_can_be_meant_and_a_step_that_is_the_same_for_all(tmp_path: Path) -> None:
    triggers = [Trigger(tmp_path, rank) for rank in range(4)]
    write(tmp_path, "2 ranks=0,3 at=12000", 1000)
    asked = Request(2, "trigger", first_step=12000)
    assert [trigger.request(5) for trigger in triggers] == [asked, None, None, asked]
    write(tmp_path, "ranks=1", 2000)
    assert [trigger.request(5) for trigger in triggers] == [None, Request(5, "trigger"), None, None]


@pytest.mark.parametrize(
    "text", ["many", "0", "-1", "101", "9" * 30, "\0", "5 ranks=", "ranks=a", "5 at=soon", "5 5"]
)
def test_nonsense_is_said_and_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str) -> None:
    trigger = Trigger(tmp_path, rank=0)
    write(tmp_path, text, 1000)
    assert trigger.request(5) is None
    assert "write a number of steps from 1 to 100" in caplog.text


def test_a_folder_of_that_name_is_no_file(tmp_path: Path) -> None:
    trigger = Trigger(tmp_path, rank=0)
    (tmp_path / TRIGGER_NAME).mkdir()
    assert trigger.request(5) is None


@pytest.mark.skipif(os.name == "nt", reason="pipes and links need a privilege on Windows")
@pytest.mark.parametrize("kind", ["pipe", "device", "link"])
def test_what_is_no_file_of_its_own_asks_for_nothing_and_is_not_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    trigger = Trigger(tmp_path, rank=0)
    (tmp_path / "secret").write_text("secret")
    path = tmp_path / TRIGGER_NAME
    {
        "pipe": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "link": lambda: path.symlink_to("secret"),
    }[kind]()
    began_s = time.monotonic()
    assert trigger.request(5) is None
    assert time.monotonic() - began_s < PATIENCE_S
    assert caplog.records == []
    path.unlink()
    write(tmp_path, "3", 1000)
    assert trigger.request(5) == Request(3, "trigger")


def test_a_file_system_that_does_not_answer_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    trigger = Trigger(tmp_path, rank=0)
    answers = threading.Event()
    opened = os.open

    def hang(path: object, *given: Any, **named: Any) -> int:
        if str(path).endswith(TRIGGER_NAME):
            answers.wait(60)
        return opened(path, *given, **named)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", hang)
        assert trigger.request(5) is None
        began_s = time.monotonic()
        assert [trigger.request(5) for _ in range(50)] == [None] * 50
        assert time.monotonic() - began_s < PATIENCE_S
        (said,) = caplog.messages
        assert "does not answer. The training does not wait for it" in said
        answers.set()
    write(tmp_path, "3", 1000)
    deadline_s = time.monotonic() + 60
    while (asked := trigger.request(5)) is None and time.monotonic() < deadline_s:
        time.sleep(0.01)
    assert asked == Request(3, "trigger")
