"""Steps that are counted by the trainer, steps that are no training, and windows after slow ones."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import torch
from trainings import Step, facts_in, published, train

import tbprof
from tbprof.hook import step_clock

SHORT = tbprof.Schedule(skip_first=2, warmup=1, active=2)


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run"


@pytest.mark.parametrize("enters", [True, False], ids=["with", "without with"])
def test_a_training_that_goes_on_from_a_checkpoint_counts_on(
    logdir: Path, training_step: Step, enters: bool
) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SHORT)
    if enters:
        hook.__enter__()
    for steps_taken in range(5001, 5010):
        training_step()
        hook.step(steps_taken)
    hook.close(wait_s=60)
    # 5000 and 5001 are left alone, 5002 warms up.
    assert [facts["first_step"] for facts in facts_in(logdir)] == [5003]


def test_micro_batches_of_one_step_are_one_step(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        for micro_batch in range(4 * 7):
            training_step()
            hook.step(micro_batch // 4)
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    marks = [event for event in trace["traceEvents"] if event["name"].startswith("ProfilerStep#")]
    batches = [event for event in trace["traceEvents"] if event["name"] == "aten::rand"]
    assert (len(marks), trace["tbprof"]["recorded_steps"]) == (2, 2)
    assert len(batches) == 2 * 4


def test_a_count_that_is_no_number_ends_the_profiling_only(
    logdir: Path, training_step: Step, expected_faults: list[Exception]
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        for _ in range(5):
            training_step()
            hook.step("many")  # type: ignore[arg-type]
    assert [type(fault) for fault in expected_faults] == [ValueError]


def test_a_program_that_only_infers_has_steps_and_says_so(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook, hook.phase("inference"):
        train(hook, training_step, 8)
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert (facts["phase"], facts["first_step"], facts["recorded_steps"]) == ("inference", 3, 2)


def test_an_evaluation_in_a_window_is_named_as_no_part_of_its_step(
    logdir: Path, training_step: Step
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 4)
        with hook.phase("evaluation"):
            training_step()
        train(hook, training_step, 4)
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    assert trace["tbprof"]["phases_left_out"] == ["evaluation"]
    assert "evaluation" in {event["name"] for event in trace["traceEvents"]}


def test_a_slow_step_begins_a_window(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])
    schedule = tbprof.Schedule(
        skip_first=10**6, warmup=0, active=1, slow_steps=tbprof.SlowSteps(factor=3, at_most=1)
    )
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for step in range(60):
            training_step()
            now[0] += 40 if step in (45, 50) else 10
            hook.step()
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert (facts["first_step"], facts["begun_by"]) == (46, "slow_step")
    assert facts["unprofiled_step_ns"] == 10


def test_the_first_steps_are_told_apart_from_the_others(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])
    schedule = tbprof.Schedule(skip_first=8, warmup=0, active=1)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for duration_ns in (900, 200, 100, 110, 90, 100, 100, 100, 140, 100):
            training_step()
            now[0] += duration_ns
            hook.step()
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert facts["cold_steps_ns"] == [900, 200]
    assert (facts["unprofiled_step_ns"], facts["unprofiled_quartiles_ns"]) == (100, [100, 100])
    assert facts["profiled_step_ns"] == 140


def test_what_was_counted_is_known_for_each_step(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 3)
        for collections in (0, 2):
            training_step()
            for _ in range(collections):
                gc.collect()
            hook.step()
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert [step["counts"].get("gc.full", 0) for step in facts["step_counters"]] == [0, 2]


def test_a_phase_leaves_no_mode_behind(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 5)
        with hook.phase("evaluation"):
            train(hook, training_step, 2)
        hook.close(wait_s=60)
    assert not torch.overrides._get_current_function_mode_stack()
