"""One window: what it records, and what it gives up when somebody or something is in its way."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from tbprof.hook.options import RecordOptions
from tbprof.hook.safety.cuda_device import (
    PREPARED_SESSIONS_END,
    WITH_MODULES_WARNS,
    crashes_with_stack,
    is_torch_since,
)
from tbprof.hook.safety.other_profilers import other_profiler_at_work
from tbprof.hook.schedule import Schedule
from tbprof.hook.window.window import ProfiledWindow

if TYPE_CHECKING:
    from conftest import RunScript

Step = Callable[[], float]
SCHEDULE = Schedule(warmup=2, active=3)


def window_in(folder: Path, schedule: Schedule = SCHEDULE, **options: bool) -> ProfiledWindow:
    folder.mkdir(exist_ok=True)
    return ProfiledWindow(schedule, RecordOptions(**options), folder, "worker", lambda: None)


def run(window: ProfiledWindow, training_step: Step, steps: int) -> None:
    for _ in range(steps):
        training_step()
        window.advance()


def step_names(trace: Path) -> list[str]:
    events = json.loads(trace.read_bytes())["traceEvents"]
    return sorted(event["name"] for event in events if event["name"].startswith("ProfilerStep#"))


def test_a_window_records_its_active_steps_into_one_file(tmp_path: Path, training_step: Step) -> None:
    window = window_in(tmp_path / "spool")
    window.start()
    run(window, training_step, 4)
    assert not window.is_over
    run(window, training_step, 1)
    assert window.is_over
    assert window.recorded_steps == 3
    assert window.trace is not None
    assert list((tmp_path / "spool").iterdir()) == [window.trace]
    assert step_names(window.trace) == ["ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4"]


def test_without_warm_up_it_records_at_once(tmp_path: Path, training_step: Step) -> None:
    window = window_in(tmp_path, Schedule(warmup=0, active=1))
    window.start()
    assert window.is_recording
    run(window, training_step, 1)
    assert window.trace is not None
    assert step_names(window.trace) == ["ProfilerStep#0"]


@pytest.mark.parametrize(
    ("option", "key"),
    [
        pytest.param(
            "with_stack",
            "with_stack",
            marks=pytest.mark.skipif(crashes_with_stack(), reason="it would end this process"),
        ),
        ("record_shapes", "record_shapes"),
        ("profile_memory", "profile_memory"),
        ("with_flops", "with_flops"),
        pytest.param(
            "with_modules",
            "with_modules",
            marks=pytest.mark.skipif(is_torch_since(WITH_MODULES_WARNS), reason="torch deprecates it"),
        ),
    ],
)
def test_each_option_reaches_torch(tmp_path: Path, training_step: Step, option: str, key: str) -> None:
    window = window_in(tmp_path, Schedule(warmup=1, active=1), **{option: True})
    window.start()
    run(window, training_step, 2)
    assert window.trace is not None
    assert json.loads(window.trace.read_bytes())[key] == 1


@pytest.mark.skipif(crashes_with_stack(), reason="it would end this process")
@pytest.mark.parametrize("steps", [5, 4], ids=["to its end", "stopped early"])
def test_a_function_that_profiles_python_is_called_again_after_stacks_were_recorded(
    tmp_path: Path, training_step: Step, steps: int
) -> None:
    called: list[str] = []

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        called.append(event)

    window = window_in(tmp_path, with_stack=True)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        window.start()
        run(window, training_step, steps)
        window.stop()
        assert sys.getprofile() is note
        called.clear()
        training_step()
    finally:
        sys.setprofile(before)
    assert "call" in called


def test_stopped_early_it_keeps_the_whole_steps(tmp_path: Path, training_step: Step) -> None:
    window = window_in(tmp_path)
    window.start()
    run(window, training_step, 3)
    window.stop()
    assert window.recorded_steps == 1
    assert window.trace is not None


@pytest.mark.parametrize("steps", [0, 1, 2])
def test_stopped_before_the_first_whole_step_it_keeps_nothing(
    tmp_path: Path, training_step: Step, steps: int
) -> None:
    window = window_in(tmp_path)
    window.start()
    run(window, training_step, steps)
    window.stop()
    assert window.is_over
    assert window.trace is None
    assert list(tmp_path.iterdir()) == []


def test_a_profiler_used_inside_a_recorded_step_keeps_its_own_results(
    tmp_path: Path, training_step: Step
) -> None:
    window = window_in(tmp_path)
    window.start()
    run(window, training_step, 2)
    with profile(activities=[ProfilerActivity.CPU]) as theirs:
        training_step()
    window.advance()
    assert window.taken_away
    assert window.trace is None
    assert "aten::mv" in {event.key for event in theirs.key_averages()}


def test_one_that_begins_inside_a_recorded_step_and_goes_on_keeps_its_results(
    tmp_path: Path, training_step: Step
) -> None:
    window = window_in(tmp_path)
    window.start()
    run(window, training_step, 2)
    with profile(activities=[ProfilerActivity.CPU]) as theirs:
        run(window, training_step, 1)
        assert window.taken_away
        assert torch.autograd._profiler_enabled()
        training_step()
    assert {event.key: event.count for event in theirs.key_averages()}["aten::rand"] == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(
    not is_torch_since(PREPARED_SESSIONS_END), reason="torch refuses a second profiler on another thread"
)
def test_one_of_another_thread_leaves_nothing_of_the_window_on_this_thread(
    tmp_path: Path, training_step: Step
) -> None:
    def profile_elsewhere() -> None:
        with profile(activities=[ProfilerActivity.CPU]):
            pass

    window = window_in(tmp_path)
    window.start()
    run(window, training_step, 2)
    thread = threading.Thread(target=profile_elsewhere)
    thread.start()
    thread.join()
    run(window, training_step, 1)
    assert window.taken_away
    assert not torch.autograd._profiler_enabled()
    with profile(activities=[ProfilerActivity.CPU]) as theirs:
        training_step()
    assert "aten::mv" in {event.key for event in theirs.key_averages()}


def test_one_that_starts_during_the_warm_up_is_given_way_to(tmp_path: Path, training_step: Step) -> None:
    window = window_in(tmp_path)
    window.start()
    with profile(activities=[ProfilerActivity.CPU]) as theirs:
        run(window, training_step, 1)
        assert window.taken_away
        training_step()
    assert "aten::mv" in {event.key for event in theirs.key_averages()}


@pytest.mark.parametrize("steps", [0, 1])
def test_one_that_begins_and_ends_in_the_warm_up_costs_nothing(
    tmp_path: Path, training_step: Step, steps: int
) -> None:
    window = window_in(tmp_path)
    window.start()
    run(window, training_step, steps)
    with profile(activities=[ProfilerActivity.CPU]) as theirs:
        training_step()
    run(window, training_step, 5 - steps)
    assert "aten::mv" in {event.key for event in theirs.key_averages()}
    assert window.trace is not None
    assert step_names(window.trace) == ["ProfilerStep#2", "ProfilerStep#3", "ProfilerStep#4"]


def test_one_of_another_thread_in_the_warm_up_costs_nothing(tmp_path: Path, training_step: Step) -> None:
    def profile_elsewhere() -> None:
        with profile(activities=[ProfilerActivity.CPU]):
            torch.ones(2)

    window = window_in(tmp_path)
    window.start()
    thread = threading.Thread(target=profile_elsewhere)
    thread.start()
    thread.join()
    run(window, training_step, 5)
    assert window.trace is not None


@pytest.mark.slow
def test_what_the_profiler_imports_is_there_before_the_first_recorded_step(
    run_script: RunScript, tmp_path: Path
) -> None:
    ended = run_script(
        """
        import pathlib, sys
        from tbprof.hook.options import RecordOptions
        from tbprof.hook.schedule import Schedule
        from tbprof.hook.window.window import ProfiledWindow
        window = ProfiledWindow(
            Schedule(warmup=1, active=1), RecordOptions(), pathlib.Path(sys.argv[1]), "worker", lambda: None
        )
        window.start()
        before = set(sys.modules)
        window.advance()
        assert window.is_recording
        window.abandon()
        print([name for name in sys.modules if "dynamo" in name and name not in before])
        """,
        tmp_path,
    )
    assert ended.stdout == "[]\n", ended.stderr


def test_one_that_warms_up_beside_ours_is_given_way_to(tmp_path: Path, training_step: Step) -> None:
    window = window_in(tmp_path)
    window.start()
    run(window, training_step, 1)
    steps = torch.profiler.schedule(wait=0, warmup=2, active=1, repeat=1)
    theirs = profile(activities=[ProfilerActivity.CPU], schedule=steps)
    with theirs:
        run(window, training_step, 1)
        assert window.taken_away
        for _ in range(3):
            theirs.step()
            training_step()
    assert "aten::mv" in {event.key for event in theirs.key_averages()}
    assert list(tmp_path.iterdir()) == []


def test_a_window_given_away_is_not_stopped_again(tmp_path: Path) -> None:
    window = window_in(tmp_path)
    window.start()
    with profile(activities=[ProfilerActivity.CPU]):
        window.stop()
        assert torch.autograd._profiler_enabled()
    assert window.taken_away


def test_what_is_left_of_a_window_given_away_is_no_profiler_at_work(tmp_path: Path) -> None:
    window = window_in(tmp_path)
    window.start()
    with profile(activities=[ProfilerActivity.CPU]):
        window.stop()
    announced = profile(activities=[ProfilerActivity.CPU])
    assert not other_profiler_at_work(None)
    with announced:
        assert other_profiler_at_work(None)


def test_a_spool_that_can_t_be_made_costs_the_window_and_nothing_else(
    tmp_path: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = window_in(tmp_path / "spool")
    window.start()
    run(window, training_step, 4)
    (tmp_path / "spool").rmdir()

    def no_room(folder: str, *, exist_ok: bool) -> None:
        raise OSError(28, f"No space left on device for {folder} ({exist_ok})")

    monkeypatch.setattr("os.makedirs", no_room)
    run(window, training_step, 1)
    assert window.is_over
    assert window.trace is None
    assert "Can't create directory" in window.export_error


def test_an_export_that_kineto_can_t_write_is_no_trace(
    tmp_path: Path, training_step: Step, capfd: pytest.CaptureFixture[str]
) -> None:
    window = window_in(tmp_path / "spool")
    window.start()
    run(window, training_step, 4)
    # A name that is too long for any file system: Kineto says so on its own log only.
    window._write_trace = torch.profiler.tensorboard_trace_handler(str(tmp_path / "spool"), "n" * 300)
    run(window, training_step, 1)
    assert window.is_over
    assert window.trace is None
    assert list((tmp_path / "spool").iterdir()) == []
    capfd.readouterr()
