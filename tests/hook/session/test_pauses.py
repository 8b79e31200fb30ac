"""Trainings that follow one another in a process, with one hook over all of them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from trainings import Step, facts_in, published

import tbprof

SCHEDULE = tbprof.Schedule(skip_first=4, warmup=1, active=4)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def fit(training_step: Step) -> Callable[[tbprof.TrainerHook, int, int], None]:
    """A training that counts its own steps from `first` on."""

    def train(hook: tbprof.TrainerHook, first: int, steps: int) -> None:
        hook.resume(first)
        for step in range(first, first + steps):
            training_step()
            hook.step(step + 1)
        hook.pause()
        assert not torch.autograd._profiler_enabled()

    return train


Fit = Callable[[tbprof.TrainerHook, int, int], None]


def windows(logdir: Path) -> list[tuple[int, int]]:
    return sorted((facts["first_step"], facts["recorded_steps"]) for facts in facts_in(logdir))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        pytest.param((9,), [(5, 4)], id="whole"),
        pytest.param((7, 7), [(5, 2)], id="half of a window is one"),
        pytest.param((6, 6), [(5, 1), (7, 4)], id="a quarter is not"),
        pytest.param((3, 3, 3, 3), [(5, 1), (7, 2)], id="folds shorter than the schedule"),
        pytest.param((4, 5), [(5, 4)], id="due where the second begins"),
    ],
)
def test_a_window_is_of_one_training(
    logdir: Path, fit: Fit, lengths: tuple[int, ...], expected: list[tuple[int, int]]
) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SCHEDULE)
    for length in lengths:
        fit(hook, 0, length)
    hook.close(wait_s=60)
    assert windows(logdir) == expected


def test_steps_are_named_by_the_count_of_the_training(logdir: Path, fit: Fit) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SCHEDULE)
    fit(hook, 100, 10)
    hook.close(wait_s=60)
    (trace,) = published(logdir)
    marks = [event["name"] for event in trace["traceEvents"] if event["name"].startswith("ProfilerStep#")]
    # From the checkpoint on, 4 are left alone and one warms up.
    assert marks == [f"ProfilerStep#{step}" for step in range(105, 109)]
    assert trace["tbprof"]["first_step"] == 105


def test_a_second_training_goes_on_with_its_own_count(logdir: Path, fit: Fit) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=tbprof.Schedule.at(8, 30))
    fit(hook, 0, 14)
    fit(hook, 14, 3)
    fit(hook, 25, 12)
    hook.close(wait_s=60)
    assert windows(logdir) == [(8, 5), (30, 5)]


def test_time_between_trainings_is_in_no_step(
    logdir: Path, fit: Fit, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=tbprof.Schedule(skip_first=100))
    fit(hook, 0, 5)
    fit(hook, 0, 5)
    training_step()
    hook.step()
    assert len(hook._run.clock.unprofiled_ns) == 5 + 5
    assert "went from" not in caplog.text
    hook.close()


def test_after_its_close_a_hook_stays_closed(logdir: Path, fit: Fit) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SCHEDULE)
    hook.close()
    fit(hook, 0, 10)
    assert not logdir.exists()


def test_a_copy_of_a_trainer_has_the_same_hook_and_another_process_its_own(logdir: Path, fit: Fit) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SCHEDULE)
    fit(hook, 0, 7)
    other = pickle.loads(pickle.dumps(hook))
    fit(copy.deepcopy({"hook": hook})["hook"], 7, 2)
    fit(other, 0, 9)
    hook.close(wait_s=60)
    other.close(wait_s=60)
    assert windows(logdir) == [(5, 2), (5, 4)]
