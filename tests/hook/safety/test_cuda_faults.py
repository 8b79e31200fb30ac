"""Each call of torch.cuda that the hook makes fails in turn: its fact is missing by name, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from stand_in_cuda import EVENT_MS, StandInCuda
from trainings import Step, facts_in

import tbprof
from tbprof.hook.step_clock import FIRST_SPAN_STEPS
from tbprof.hook.timetable import FIRST_LOOK_STEPS

SCHEDULE = tbprof.Schedule(skip_first=FIRST_LOOK_STEPS + FIRST_SPAN_STEPS + 2, warmup=1, active=2)
STEPS = SCHEDULE.steps_needed + 8

DEVICE = {"allocator_counts", "device_step_time", "other_gpu_processes"}

MISSING_BY_CALL: dict[str, set[str]] = {
    "is_initialized": {
        *DEVICE,
        *("cuda_activity", "device_names", "places", "settings.cudnn.version", "sync_warnings"),
    },
    "current_device": DEVICE,
    "_cuda_hasPrimaryContext": DEVICE,
    "device_count": {*DEVICE, "device_names"},
    "device": {"device_step_time"},
    "is_current_stream_capturing": {"device_step_time"},
    "Event": {"device_step_time"},
    "Event.record": {"device_step_time"},
    "Event.query": {"device_step_time"},
    "Event.elapsed_time": {"device_step_time"},
    "memory_stats_as_nested_dict": {"allocator_counts"},
    "get_device_name": {"device_names"},
    "get_device_properties": {"other_gpu_processes"},
    "supported_activities": {"cuda_activity"},
    "get_sync_debug_mode": {"sync_warnings"},
    "set_sync_debug_mode": {"sync_warnings"},
}
"""What is missing where a call of torch.cuda fails each time."""


def fresh_training() -> Step:
    """Steps of a tiny training, the same each time."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.zeros(8, requires_grad=True)

    def step() -> float:
        loss = ((torch.rand(4, 8, generator=generator) @ weights - 1) ** 2).mean()
        (gradient,) = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            weights.sub_(0.1 * gradient)
        return loss.item()

    return step


def trained(logdir: Path, cuda: StandInCuda) -> list[float]:
    step, losses = fresh_training(), []
    with tbprof.TrainerHook(logdir, schedule=SCHEDULE) as hook:
        for _ in range(STEPS):
            losses.append(step())
            cuda.wait()
            hook.step()
        hook.close(wait_s=60)
    return losses


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> StandInCuda:
    return StandInCuda().install(monkeypatch)


def test_these_are_all_the_calls_that_the_hook_makes(tmp_path: Path, cuda: StandInCuda) -> None:
    trained(tmp_path / "logs", cuda)
    assert set(cuda.calls) == set(MISSING_BY_CALL)
    (facts,) = facts_in(tmp_path / "logs")
    assert facts["missing"] == []
    assert facts["unprofiled_device_step_ns"] == EVENT_MS * 1_000_000 // FIRST_SPAN_STEPS
    assert facts["counters"]["allocator.num_device_alloc"] == 1
    assert facts["device_names"] == ["NVIDIA H200 0"]
    assert (cuda.mode, cuda.contexts) == (0, {0})


@pytest.mark.slow
@pytest.mark.parametrize("call", MISSING_BY_CALL)
def test_a_call_that_fails_costs_its_own_fact_and_nothing_else(
    tmp_path: Path, cuda: StandInCuda, call: str
) -> None:
    alone = fresh_training()
    cuda.fault = lambda name, _: RuntimeError(f"{name} was told to fail") if name == call else None
    losses = trained(tmp_path / "logs", cuda)
    cuda.fault = lambda *_: None
    (facts,) = facts_in(tmp_path / "logs")
    assert {missing["name"] for missing in facts["missing"]} == MISSING_BY_CALL[call]
    assert {missing["reason"] for missing in facts["missing"]} == {f"RuntimeError: {call} was told to fail"}
    assert facts["recorded_steps"] == SCHEDULE.active
    assert [call["call"] for call in facts["audit"]["calls"]].count("item") == 1
    assert losses == [alone() for _ in range(STEPS)]
