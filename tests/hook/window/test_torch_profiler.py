"""torch's profiler is asked for what this torch can do, and for nothing that it warns of."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.profiler import ProfilerAction, ProfilerActivity, profile
from trainings import published, train

import tbprof
from tbprof.hook.options import RecordOptions
from tbprof.hook.safety.cuda_device import crashes_with_stack
from tbprof.hook.safety.guard import MissingFacts
from tbprof.hook.schedule import Schedule
from tbprof.hook.window.torch_profiler import (
    TracerWarnings,
    end_prepared_session,
    make_profiler,
    supported_options,
)

Step = Callable[[], float]


def made(export: Callable[[profile], None] = lambda _: None) -> profile:
    return make_profiler(Schedule(warmup=2, active=2), RecordOptions(), export, MissingFacts(), lambda: None)


def actions(profiler: profile, training_step: Step) -> list[ProfilerAction]:
    taken = []
    with profiler:
        for _ in range(4):
            taken.append(profiler.current_action)
            training_step()
            profiler.step()
    return taken


def test_a_warm_up_is_waited_for_and_prepares_no_session(training_step: Step) -> None:
    exported: list[profile] = []
    names = [action.name for action in actions(made(exported.append), training_step)]
    assert names == ["NONE", "NONE", "RECORD", "RECORD_AND_SAVE"]
    assert len(exported) == 1


def test_torch_says_nothing_to_the_program_of_cycles(
    training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = profile.prepare_trace

    def prepare_as_torch_2_11_does(self: profile) -> None:
        prepare(self)
        if not self.acc_events:
            warnings.warn("Warning: Profiler clears events at the end of each cycle.", stacklevel=2)

    monkeypatch.setattr(profile, "prepare_trace", prepare_as_torch_2_11_does)
    profiler = made()
    actions(profiler, training_step)
    # Nor are its events read as it ends, which takes longer than all else.
    assert profiler.profiler is not None
    assert profiler.profiler._function_events is None


@pytest.mark.parametrize("is_prepared", [True, False])
def test_after_a_session_that_was_never_enabled_another_can_record(
    monkeypatch: pytest.MonkeyPatch, training_step: Step, is_prepared: bool
) -> None:
    left = profile(
        activities=[ProfilerActivity.CPU], schedule=torch.profiler.schedule(wait=0, warmup=1, active=1)
    )
    left.start()
    if not is_prepared:
        session = left.profiler
        left.stop()
        left.profiler = session
    monkeypatch.setattr(torch, "__version__", "2.6.0")
    end_prepared_session(left)
    left.profiler = None
    with profile(activities=[ProfilerActivity.CPU]) as theirs:
        training_step()
    assert "aten::mv" in {event.key for event in theirs.key_averages()}


@pytest.mark.parametrize(("version", "since"), [("2.13.0", False), ("2.14.0", True)])
def test_call_stacks_stand_for_modules_where_torch_deprecates_these(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, version: str, since: bool
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    asked = RecordOptions(with_modules=True, record_shapes=True)
    options = supported_options(asked)
    assert options.record_shapes
    assert (options.with_modules, options.with_stack) == (not since, since)
    assert len(caplog.messages) == since


def test_who_asks_for_no_modules_hears_nothing_of_them(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.14.0")
    assert supported_options(RecordOptions(with_flops=True)) == RecordOptions(with_flops=True)
    assert caplog.messages == []


def test_call_stacks_that_would_end_the_process_are_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(torch, "__version__", "2.7.0")
    monkeypatch.setattr(sys, "version_info", (3, 13, 5))
    assert supported_options(RecordOptions(with_stack=True)) == RecordOptions()
    assert "crashes at them" in caplog.text
    monkeypatch.setattr(sys, "version_info", (3, 12, 9))
    assert supported_options(RecordOptions(with_stack=True)) == RecordOptions(with_stack=True)


@pytest.mark.skipif(crashes_with_stack(), reason="recording call stacks would end this process")
def test_a_hook_that_is_asked_for_modules_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.14.0")
    model = torch.nn.Linear(4, 4)
    schedule = tbprof.Schedule(skip_first=1, warmup=1, active=1)
    with tbprof.TrainerHook(tmp_path / "logs", schedule=schedule, with_modules=True) as hook:
        train(hook, lambda: model(torch.ones(4)).sum().item(), 5)
        hook.close(wait_s=60)
    (trace,) = published(tmp_path / "logs")
    assert (trace["tbprof"]["options"]["with_modules"], trace["tbprof"]["options"]["with_stack"]) == (
        False,
        True,
    )
    assert any(event["name"].startswith("nn.Module: Linear") for event in trace["traceEvents"])


def test_warnings_that_were_shown_once_are_not_shown_again(training_step: Step, tmp_path: Path) -> None:
    registry: dict[object, object] = {}
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        with tbprof.TrainerHook(
            tmp_path / "run", schedule=tbprof.Schedule(skip_first=1, warmup=1, active=1), memory=True
        ) as hook:
            for _ in range(8):
                training_step()
                warnings.warn_explicit("once", UserWarning, "train.py", 1, registry=registry)
                hook.step()
    assert [str(warning.message) for warning in shown].count("once") == 1


def test_the_filter_goes_from_the_programs_list_though_it_ends_within_another() -> None:
    before = list(warnings.filters)
    kept, other = TracerWarnings(), TracerWarnings()
    kept.begin()
    with warnings.catch_warnings():
        inside = len(warnings.filters)
        kept.end()
        assert len(warnings.filters) == inside - 1
    assert warnings.filters == before
    with warnings.catch_warnings():
        kept.begin()
    other.begin()
    kept.end()
    assert len(warnings.filters) == len(before) + 1
    other.end()
    other.end()
    assert warnings.filters == before
