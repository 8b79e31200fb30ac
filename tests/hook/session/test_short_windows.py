"""A window with fewer steps than it was to have says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from trainings import train

import tbprof

Step = Callable[[], float]


def short_ones(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [message for message in caplog.messages if " steps, because " in message]


def test_of_windows_whose_end_takes_too_long(
    tmp_path: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    schedule = tbprof.Schedule(skip_first=1, wait=1, warmup=0, active=3, repeat=3)
    # Lines are looked for in more steps where a step was held up.
    logs = tmp_path / "logs"
    with tbprof.TrainerHook(logs, schedule=schedule, max_stall_ms=1e-3, record_lines=False) as hook:
        train(hook, training_step, 20)
    (said,) = short_ones(caplog)
    assert said.startswith("Window 1 has 1 of 3 steps, because the end of a longer one ")


def test_of_a_window_in_which_the_count_goes_back(
    tmp_path: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    schedule = tbprof.Schedule(skip_first=2, warmup=0, active=4)
    with tbprof.TrainerHook(tmp_path / "logs", schedule=schedule) as hook:
        for count in (1, 2, 3, 4, 5, 2, 3):
            training_step()
            hook.step(count)
    assert short_ones(caplog) == [
        "Window 0 has 3 of 4 steps, because the count given to step() went back, or stood still."
    ]
