"""The steps after a window: whether they are again what they were before it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from trainings import Step, facts_in

import tbprof
from tbprof.hook.steps import step_clock
from tbprof.hook.window.post_window import ENOUGH_STEPS, SETTLE_STEPS

MS = 1_000_000
SCHEDULE = tbprof.Schedule(skip_first=6, warmup=0, active=1)
"""6 steps, the window, the audit step: so many are over when the steps are ordinary again."""
BEFORE = 8


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run"


@pytest.fixture
def run(logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch):
    """Train with steps of these durations, in ms."""
    now = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])

    def with_durations(durations_ms: list[int]) -> None:
        with tbprof.TrainerHook(logdir, schedule=SCHEDULE) as hook:
            for duration_ms in durations_ms:
                training_step()
                now[0] += duration_ms * MS
                hook.step()
            hook.close(wait_s=60)

    return with_durations


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_window_knows_how_long_the_steps_after_it_take(
    run, logdir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run([10] * BEFORE + [10, 11, 10, 9, 10])
    (facts,) = facts_in(logdir)
    assert (facts["unprofiled_step_ns"], facts["after_step_ns"]) == (10 * MS, 10 * MS)
    assert warnings_in(caplog) == []


def test_steps_that_stay_slower_are_said_at_the_end(
    run, logdir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run([10] * BEFORE + [14] * ENOUGH_STEPS)
    (facts,) = facts_in(logdir)
    assert facts["after_step_ns"] == 14 * MS
    assert warnings_in(caplog) == [
        "Steps take 14.0 ms since window 0, and took 10.0 ms before it:"
        " the training has changed, or the machine has other work."
    ]


def test_a_few_slow_steps_right_after_the_window_are_no_matter(run, caplog: pytest.LogCaptureFixture) -> None:
    run([10] * BEFORE + [14] * SETTLE_STEPS + [10] * 20)
    assert warnings_in(caplog) == []


def test_of_too_few_steps_nothing_is_said(run, logdir: Path, caplog: pytest.LogCaptureFixture) -> None:
    run([10] * BEFORE + [14] * 2)
    (facts,) = facts_in(logdir)
    assert facts["after_step_ns"] is None
    assert warnings_in(caplog) == []


def test_nor_while_the_window_may_still_be_published(run, caplog: pytest.LogCaptureFixture) -> None:
    run([10] * BEFORE + [14] * (ENOUGH_STEPS - 1))
    assert warnings_in(caplog) == []
