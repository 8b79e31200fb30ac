"""The steps after a window: whether they are again what they were before it."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from trainings import Step, facts_in

import tbprof
from tbprof.hook import step_clock
from tbprof.hook.audit.line_recorder import LineRecorder
from tbprof.hook.safety.modes import function_modes
from tbprof.hook.timetable import FIRST_LOOK_STEPS
from tbprof.hook.window.post_window import ENOUGH_STEPS, SETTLE_STEPS

MS = 1_000_000
SCHEDULE = tbprof.Schedule(skip_first=6, warmup=0, active=1)
"""6 steps, the window, the audit step: so many are over when the steps are ordinary again."""
BEFORE = 8
BESIDE = FIRST_LOOK_STEPS
"""Steps beside which the window is published, at least."""


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run"


@pytest.fixture
def run(logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch):
    """Train with steps of these durations, in ms; `extra_ms` more while a window is being published."""
    now = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])

    def with_durations(durations_ms: list[int], extra_ms: int = 0) -> tbprof.TrainerHook:
        with tbprof.TrainerHook(logdir, schedule=SCHEDULE) as hook:
            for step, duration_ms in enumerate(durations_ms):
                training_step()
                is_beside = BEFORE + SETTLE_STEPS <= step < BEFORE + SETTLE_STEPS + BESIDE
                now[0] += (duration_ms + is_beside * extra_ms) * MS
                hook.step()
                session = hook._run._session
                if session is not None and step == BEFORE + SETTLE_STEPS + BESIDE - 2:
                    session.publisher.wait(60)
            hook.close(wait_s=60)
        return hook

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
    run([10] * BEFORE + [14] * (BESIDE + ENOUGH_STEPS))
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


def test_nor_of_steps_beside_which_the_window_is_published(run, caplog: pytest.LogCaptureFixture) -> None:
    run([10] * BEFORE + [14] * (BESIDE + ENOUGH_STEPS - 1))
    assert warnings_in(caplog) == []


def test_our_own_work_is_in_no_time_of_a_step(run, caplog: pytest.LogCaptureFixture) -> None:
    after = SETTLE_STEPS + ENOUGH_STEPS
    hook = run([10] * (BEFORE + BESIDE + after), extra_ms=30)
    clock = hook._run.clock
    assert (set(clock.unprofiled_ns), clock.left_out) == ({10 * MS}, BESIDE)
    # The step of the lines is in none of them, nor is that of the window.
    assert len(clock.unprofiled_ns) == BEFORE - 2 + after
    assert warnings_in(caplog) == []


class Preempted(BaseException):
    """Raised as a handler of the program's would raise it."""


@pytest.mark.parametrize("end", [1, 2])
def test_what_watches_lines_is_left_where_the_program_raises_meanwhile(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch, end: int
) -> None:
    schedule = tbprof.Schedule(skip_first=1, warmup=1, active=1)
    ends: list[None] = []
    end_it = LineRecorder.end

    def interrupted(recorder: LineRecorder) -> None:
        ends.append(None)
        if len(ends) == end:
            raise Preempted
        end_it(recorder)

    monkeypatch.setattr(LineRecorder, "end", interrupted)
    hook = tbprof.TrainerHook(logdir, schedule=schedule)
    with pytest.raises(Preempted):
        for _ in range(9):
            training_step()
            hook.step()
    hook.close(wait_s=60)
    assert function_modes() == []
