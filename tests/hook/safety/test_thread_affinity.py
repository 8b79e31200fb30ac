"""Steps of several threads: a window has those of one, and what is missing for it is said by its reason."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from trainings import Step, published, train

import tbprof
from tbprof.hook.safety.other_profilers import OnlySession

if TYPE_CHECKING:
    from conftest import RunScript

IGNORED = (
    "step() was called from a thread other than the one being recorded, and is ignored;"
    " call it from the training thread."
)


def test_a_step_of_another_thread_while_a_window_begins_is_no_other_profiler(
    tmp_path: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    schedule = tbprof.Schedule(skip_first=2, warmup=1, active=2)
    take = OnlySession.take

    def take_beside_a_step(session: OnlySession) -> bool:
        thread = threading.Thread(target=hook.step)
        thread.start()
        thread.join()
        return take(session)

    monkeypatch.setattr(OnlySession, "take", take_beside_a_step)
    with tbprof.TrainerHook(tmp_path / "logs", schedule=schedule) as hook:
        train(hook, training_step, 8)
        hook.close(wait_s=60)
    assert [record.message for record in caplog.records if record.levelname == "WARNING"] == [IGNORED]
    assert [trace["tbprof"]["recorded_steps"] for trace in published(tmp_path / "logs")] == [2]


ONE_AFTER_THE_OTHER = """
import sys, threading
import torch, tbprof

schedule = tbprof.Schedule(skip_first=4, warmup=2, active=3)

def train():
    for _ in range(3):
        torch.rand(4, 8) @ torch.rand(8)
        hook.step()

with tbprof.TrainerHook(sys.argv[1], schedule=schedule) as hook:
    for _ in range(4):
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
"""


def test_where_each_of_four_threads_takes_some_steps_the_absence_has_that_reason(
    fork_script: RunScript, tmp_path: Path
) -> None:
    ended = fork_script(ONE_AFTER_THE_OTHER, tmp_path / "logs")
    assert ended.returncode == 0, ended.stderr
    lines = [line for line in ended.stderr.splitlines() if line.endswith(".")]
    said = [line.removeprefix("tbprof: ") for line in lines]
    assert IGNORED in said
    assert (
        "No window was recorded: several threads called step(), and a window has the steps of one:"
        " call it from one thread." in said
    )
    assert "file could not be written" not in ended.stderr
