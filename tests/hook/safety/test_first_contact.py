"""What the hook meets on a machine with a GPU, against a stand-in of torch.cuda."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from stand_in_cuda import STICKY, Error, StandInCuda
from torch.profiler import ProfilerAction
from trainings import Step, facts_in, train

import tbprof
from tbprof.hook import doctor
from tbprof.hook.safety.modes import function_modes
from tbprof.hook.step_clock import FIRST_SPAN_STEPS
from tbprof.hook.timetable import FIRST_LOOK_STEPS
from tbprof.hook.window import window
from tbprof.model import WAITED

SHORT = tbprof.Schedule(skip_first=FIRST_LOOK_STEPS + FIRST_SPAN_STEPS + 2, warmup=1, active=2)
STEPS = SHORT.steps_needed + 8


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run"


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[StandInCuda], StandInCuda]:
    return lambda cuda: cuda.install(monkeypatch)


@pytest.fixture
def cuda(install: Callable[[StandInCuda], StandInCuda]) -> StandInCuda:
    return install(StandInCuda())


def run(logdir: Path, training_step: Step, cuda: StandInCuda, schedule: tbprof.Schedule = SHORT) -> None:
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for _ in range(schedule.steps_needed + 8):
            training_step()
            cuda.wait()
            hook.step()
        hook.close(wait_s=60)


def missing_in(logdir: Path) -> dict[str, str]:
    return {fact["name"]: fact["reason"] for facts in facts_in(logdir) for fact in facts["missing"]}


def test_torch_s_word_on_its_prototype_is_heard_by_nobody(
    logdir: Path, training_step: Step, cuda: StandInCuda, recwarn: pytest.WarningsRecorder
) -> None:
    filters, shown = list(warnings.filters), warnings.showwarning
    with warnings.catch_warnings():
        # As by `python -W error`.
        warnings.simplefilter("error")
        run(logdir, training_step, cuda)
    assert cuda.is_prototype_said
    assert missing_in(logdir) == {}
    assert [str(warning.message) for warning in recwarn] == []
    assert (list(warnings.filters), warnings.showwarning, cuda.mode) == (filters, shown, 0)


def test_what_torch_would_print_from_a_thread_of_gloo_s_is_not_asked_for(
    logdir: Path, training_step: Step, cuda: StandInCuda, tmp_path: Path
) -> None:
    store = f"file://{tmp_path / 'store'}"
    torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    try:
        run(logdir, training_step, cuda)
    finally:
        torch.distributed.destroy_process_group()
    assert cuda.modes == []


def test_an_allocator_without_statistics_costs_its_counts(
    logdir: Path, training_step: Step, cuda: StandInCuda
) -> None:
    cuda.pluggable = True
    run(logdir, training_step, cuda)
    missing = missing_in(logdir)
    assert list(missing) == ["allocator_counts"]
    assert missing["allocator_counts"].startswith("RuntimeError: CUDAPluggableAllocator does not yet support")


def test_compiled_programs_keep_the_lines_that_cuda_tells(
    logdir: Path, training_step: Step, cuda: StandInCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tbprof.hook.audit.audit.has_compiled_code", lambda: True)
    run(logdir, training_step, cuda)
    (facts,) = facts_in(logdir)
    assert cuda.modes == [1, 0, 1, 0]
    assert facts["audit"]["left_out"] == "compiled"
    assert [(call["call"], call["devices"]) for call in facts["audit"]["calls"]] == [(WAITED, ["cuda"])]
    assert not function_modes()


@pytest.mark.parametrize("capture", ["is_capturing", "captured_elsewhere"])
def test_a_capture_is_never_spoilt(
    logdir: Path, training_step: Step, cuda: StandInCuda, capture: str
) -> None:
    setattr(cuda, capture, True)
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, SHORT.steps_needed - 1)
        assert cuda.spoilt_captures == 0
        # The profiler waits for the device at a window's end, so nothing is captured then.
        setattr(cuda, capture, False)
        train(hook, training_step, 8)
        hook.close(wait_s=60)
    assert cuda.spoilt_captures == 0
    assert missing_in(logdir) == {}


def test_no_device_gets_a_context_that_the_program_does_not_use(
    logdir: Path, training_step: Step, install: Callable[[StandInCuda], StandInCuda]
) -> None:
    cuda = install(StandInCuda(devices=4, current=0, contexts={3}))
    run(logdir, training_step, cuda)
    assert (cuda.contexts, cuda.current) == ({3}, 0)
    (facts,) = facts_in(logdir)
    assert facts["unprofiled_device_step_ns"] is not None
    assert missing_in(logdir) == {}


def test_a_program_that_does_not_use_the_gpu_of_its_machine_goes_on_not_using_it(
    logdir: Path, training_step: Step, install: Callable[[StandInCuda], StandInCuda]
) -> None:
    """Else the processes that it forks later could not use CUDA."""
    cuda = install(StandInCuda(initialized=False, contexts=set()))
    run(logdir, training_step, cuda)
    assert (cuda.initialized, cuda.contexts, cuda.driver_calls) == (False, set(), 0)
    (facts,) = facts_in(logdir)
    assert (facts["device_names"], facts["missing"]) == ([], [])


def test_within_recorded_steps_the_device_and_its_allocator_are_asked_nothing(
    logdir: Path, training_step: Step, cuda: StandInCuda
) -> None:
    schedule = tbprof.Schedule(skip_first=FIRST_LOOK_STEPS + 1, warmup=1, active=6)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        train(hook, training_step, schedule.first_start + schedule.warmup + 1)
        before = cuda.calls.copy()
        train(hook, training_step, schedule.active - 2)
        assert cuda.calls == before
        train(hook, training_step, 8)
        hook.close(wait_s=60)


def test_the_start_of_the_profiler_is_timed(logdir: Path, training_step: Step, cuda: StandInCuda) -> None:
    run(logdir, training_step, cuda)
    (facts,) = facts_in(logdir)
    assert facts["profiler_start_ns"] > 0


@pytest.mark.usefixtures("cuda")
def test_windows_without_gpu_work_are_said_one_by_one(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    schedule = tbprof.Schedule(skip_first=FIRST_LOOK_STEPS + 1, warmup=1, active=1, wait=6, repeat=2)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        train(hook, training_step, 50)
        hook.close(wait_s=60)
    said = [message for message in caplog.messages if message.startswith("empty window")]
    assert sorted(line.partition(":")[0] for line in said) == ["empty window 0", "empty window 1"]


@pytest.mark.skipif(not hasattr(torch.autograd, "_is_kineto_stopped"), reason="torch 2.6 does not tell")
def test_a_window_that_the_device_ended_is_kept_and_nobody_s(
    tmp_path: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = window.ProfiledWindow(
        tbprof.Schedule(warmup=1, active=4),
        tbprof.hook.options.RecordOptions(),
        tmp_path,
        "worker",
        lambda: None,
    )
    recorded.start()
    for _ in range(2):
        training_step()
        recorded.advance()
    # CUPTI's buffers are full, and torch's own mark of a recording may be gone.
    monkeypatch.setattr(torch.autograd, "_is_kineto_stopped", lambda: True)
    monkeypatch.setattr(recorded._profiler, "use_device", "cuda")
    training_step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recorded.advance()
    assert not recorded.taken_away
    assert (recorded.is_over, recorded.recorded_steps) == (True, 2)
    assert recorded.trace is not None
    assert recorded._profiler.current_action in (ProfilerAction.DEVICE_STOPPED, ProfilerAction.RECORD)


def test_after_an_error_of_the_device_the_training_s_own_error_comes_first(
    logdir: Path, training_step: Step, cuda: StandInCuda, caplog: pytest.LogCaptureFixture
) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SHORT)
    with pytest.raises(Error, match="device-side assert"), hook:
        train(hook, training_step, SHORT.steps_needed - 1)
        cuda.sticky = True
        raise Error(STICKY)
    assert cuda.calls["synchronize"] == 0
    assert next(line for line in caplog.messages if "is lost" in line).startswith(
        "A window was recorded and is lost: CUDA failed before the window was over"
    )


def test_a_gpu_that_can_t_be_used_is_a_sentence_of_the_doctor_s(
    monkeypatch: pytest.MonkeyPatch, cuda: StandInCuda
) -> None:
    def no_room() -> bool:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 MiB.\nmore of it")

    monkeypatch.setattr(doctor, "_records_device_work", no_room)
    (problem,) = doctor._trial_problems()
    assert problem.startswith("A trial could not use the GPU")
    assert problem.endswith("CUDA out of memory. Tried to allocate 2.00 MiB.")
    assert cuda.calls["memory_stats"] == 0
