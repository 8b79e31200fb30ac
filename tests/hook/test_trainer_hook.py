"""The hook in a training loop, as its users hold it."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from timeouts import PATIENCE_S
from torch.profiler import ProfilerActivity, profile
from trainings import Step, published, published_soon, train

import tbprof
from tbprof import safe_open
from tbprof.errors import UsageError
from tbprof.hook import step_clock, timetable
from tbprof.hook.run_summary import RUN_WARNINGS_PREFIX
from tbprof.hook.safety.modes import function_modes
from tbprof.hook.window import facts
from tbprof.hook.window.window import ProfiledWindow

if TYPE_CHECKING:
    from conftest import RunScript

SHORT = tbprof.Schedule(skip_first=2, warmup=1, active=2)


def messages(caplog: pytest.LogCaptureFixture, level: int = logging.WARNING) -> list[str]:
    """What was logged, without the remark that a busy machine alone can bring about."""
    said = [record.getMessage() for record in caplog.records if record.levelno >= level]
    return [text for text in said if not text.startswith("Steps take ")]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    return tmp_path / "logs" / "run"


def test_one_window_is_recorded_and_published(
    logdir: Path, spool: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tbprof")
    with tbprof.TrainerHook(logdir, schedule=SHORT, worker="w", record_shapes=True) as hook:
        train(hook, training_step, 10)
        hook.close(wait_s=PATIENCE_S)
    (trace,) = published(logdir)
    facts = trace["tbprof"]
    assert (facts["worker"], facts["window"], facts["first_step"], facts["recorded_steps"]) == ("w", 0, 3, 2)
    assert facts["options"]["record_shapes"] is True
    assert facts["unprofiled_step_ns"] > 0
    assert facts["profiled_step_ns"] > 0
    assert facts["counters"]["gc.full"] >= 0
    assert facts["settings"]["anomaly_mode"] == "False"
    assert len(list(logdir.glob("*.tbprof.pb"))) == 1
    assert list(spool.iterdir()) == []
    (said,) = messages(caplog, logging.INFO)
    assert said.startswith("window 0: Recorded without a GPU: ")
    assert "\\u{" not in said
    (file,) = logdir.glob("*.trace.json.gz")
    assert said.endswith(f"\n  To see it: tensorboard --logdir {logdir}, or tbprof report {file}")


def test_windows_repeat_as_torch_counts_them(logdir: Path, training_step: Step) -> None:
    schedule = tbprof.Schedule(skip_first=1, wait=2, warmup=1, active=2, repeat=2)
    hook = tbprof.TrainerHook(logdir, schedule=schedule)
    train(hook, training_step, 30)
    hook.close(wait_s=60)
    facts = [trace["tbprof"] for trace in published(logdir)]
    # Steps 0 | 1 2 wait, 3 warm-up, 4 5 recorded | 6 7 wait, 8 warm-up, 9 10 recorded.
    assert [(each["window"], each["first_step"]) for each in facts] == [(0, 4), (1, 9)]


def test_without_wait_one_step_lies_between_two_windows(logdir: Path, training_step: Step) -> None:
    schedule = tbprof.Schedule(skip_first=0, warmup=1, active=1, repeat=2)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        train(hook, training_step, 5)
        hook.close(wait_s=60)
    assert [trace["tbprof"]["first_step"] for trace in published(logdir)] == [1, 4]


def test_windows_without_the_gpu_that_is_there_are_counted_at_the_end(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(facts, "_device_names", lambda: ("NVIDIA H100",))
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 8)
        hook.close(wait_s=60)
    window, total = messages(caplog)
    assert window.startswith("empty window 0: no GPU work was recorded, though torch sees the GPU")
    assert total == "Windows without GPU work: 1 (see above); tbprof doctor says why."


def test_a_loop_that_is_too_short_is_told_so(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    with tbprof.TrainerHook(logdir) as hook:
        train(hook, training_step, 4)
    assert messages(caplog) == [
        "No window was recorded: recording begins after 13 steps; steps taken: 4. Lower skip_first or warmup."
    ]
    assert not logdir.exists()


def test_a_loop_that_ends_while_it_is_recorded_leaves_a_shorter_window(
    logdir: Path, training_step: Step
) -> None:
    with tbprof.TrainerHook(logdir) as hook:
        train(hook, training_step, 14)
        hook.close(wait_s=60)
    assert [trace["tbprof"]["recorded_steps"] for trace in published(logdir)] == [1]


def test_a_clock_that_stands_still_costs_no_window(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1752215573993169006)
    schedule = tbprof.Schedule(skip_first=1, warmup=1, active=1, repeat=2)
    with tbprof.TrainerHook(logdir, schedule=schedule, worker="w") as hook:
        train(hook, training_step, 10)
        hook.close(wait_s=60)
    names = sorted(path.name for path in logdir.glob("*.trace.json.gz"))
    assert names == ["w.1752215573993169006.trace.json.gz", "w.1752215573993169007.trace.json.gz"]


def test_an_exception_leaves_what_was_recorded_and_passes(logdir: Path, training_step: Step) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SHORT)
    with pytest.raises(ZeroDivisionError), hook:
        train(hook, training_step, 4)
        1 / 0  # noqa: B018
    (trace,) = published_soon(logdir)
    assert trace["tbprof"]["recorded_steps"] == 1


def test_closing_twice_and_stepping_on_is_harmless(logdir: Path, training_step: Step) -> None:
    hook = tbprof.TrainerHook(logdir, schedule=SHORT)
    train(hook, training_step, 5)
    hook.close(wait_s=60)
    hook.close()
    train(hook, training_step, 10)
    with hook:
        train(hook, training_step, 10)
    assert len(published(logdir)) == 1


def test_another_profiler_is_left_alone_and_said_once(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        with profile(activities=[ProfilerActivity.CPU]) as theirs:
            train(hook, training_step, 15)
        said = messages(caplog)
        # It was tried after 2, 5 and 11 steps; the next time is after 23.
        train(hook, training_step, 15)
        hook.close(wait_s=60)
    assert said == ["Another profiler is running in this process: tbprof waits and tries again later."]
    assert "aten::mv" in {event.key for event in theirs.key_averages()}
    (trace,) = published(logdir)
    assert trace["tbprof"]["first_step"] == 24
    assert trace["tbprof"]["unprofiled_step_ns"] is None


def test_a_profiler_that_never_ends_is_the_reason_given(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    with profile(activities=[ProfilerActivity.CPU]), tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 15)
    assert messages(caplog)[1:] == [
        "No window was recorded: another profiler was at work each time that a window was due."
    ]


def test_a_profiler_inside_our_window_costs_the_window_only(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 3)
        with profile(activities=[ProfilerActivity.CPU]) as theirs:
            training_step()
        hook.step()
        train(hook, training_step, 10)
        hook.close(wait_s=60)
    assert "aten::mv" in {event.key for event in theirs.key_averages()}
    # Lost after 4 steps, and begun again a window's length later.
    assert [trace["tbprof"]["first_step"] for trace in published(logdir)] == [8]


def test_steps_of_another_thread_are_left_out(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 3)
        for call in (hook.step, hook.step, hook.close):
            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
        train(hook, training_step, 5)
        hook.close(wait_s=60)
    assert messages(caplog) == [
        "step() was called from a thread other than the one being recorded, and is ignored;"
        " call it from the training thread."
    ]
    assert published(logdir)[0]["tbprof"]["recorded_steps"] == 2


def test_a_spool_that_can_t_be_made_ends_the_profiling_only(
    logdir: Path,
    training_step: Step,
    expected_faults: list[Exception],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def read_only(path: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        raise OSError(30, "Read-only file system", str(path), mode, (parents, exist_ok))

    monkeypatch.setattr(Path, "mkdir", read_only)
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        losses = train(hook, training_step, 10)
    assert len(losses) == 10
    (fault,) = expected_faults
    assert isinstance(fault, UsageError)
    assert len(messages(caplog)) == 1
    assert "Read-only file system" in messages(caplog)[0]
    assert "give a folder with spool=... or the variable TBPROF_SPOOL" in messages(caplog)[0]


def test_a_full_spool_costs_the_window_and_is_said(
    logdir: Path,
    spool: Path,
    training_step: Step,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def no_room(_: torch.profiler.profile, path: str, **options: bool) -> None:
        raise OSError(28, "No space left on device", path, options)

    monkeypatch.setattr(torch.profiler.profile, "export_chrome_trace", no_room)
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 10)
    assert messages(caplog)[0].startswith("A window was recorded and is lost: [Errno 28] No space left")
    assert messages(caplog)[1:] == [
        "No window was recorded: its file could not be written (see above).",
        "Lost windows: 1 (see above).",
    ]
    (left,) = [path for path in spool.rglob("*") if path.is_file()]
    assert left.name.startswith(RUN_WARNINGS_PREFIX)


@pytest.mark.parametrize(("fails_at", "kept"), [(1, 1), (2, 2)], ids=["at first", "with the lines"])
def test_facts_that_can_t_be_written_cost_no_more_than_their_window(
    logdir: Path,
    training_step: Step,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fails_at: int,
    kept: int,
) -> None:
    open_new, calls = safe_open.open_new, []

    def no_room_once(path: Path) -> object:
        calls.append(path)
        if len(calls) == fails_at:
            raise OSError(28, "No space left on device")
        return open_new(path)

    monkeypatch.setattr(safe_open, "open_new", no_room_once)
    schedule = tbprof.Schedule(skip_first=1, warmup=1, active=1, repeat=2)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        train(hook, training_step, 10)
        hook.close(wait_s=60)
    assert len(published(logdir)) == kept
    assert "No space left on device" in messages(caplog)[0]
    assert [message for message in messages(caplog) if "Lost" in message] == [
        "Lost windows: 1 (see above)." for _ in range(2 - kept)
    ]


def test_a_fault_in_a_window_leaves_no_profiler_behind(
    logdir: Path, training_step: Step, expected_faults: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 4)
        assert torch.autograd._profiler_enabled()
        monkeypatch.setattr(torch.profiler.profile, "step", lambda _: [][0])
        train(hook, training_step, 5)
        assert not torch.autograd._profiler_enabled()
    assert [type(fault) for fault in expected_faults] == [IndexError]


def test_a_logdir_that_is_a_file_is_said_and_the_window_kept(
    logdir: Path, spool: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    logdir.parent.mkdir()
    logdir.write_text("not a folder")
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 10)
        hook.close(wait_s=60)
    assert "could not be published" in messages(caplog)[0]
    assert str(logdir) in messages(caplog)[0]
    assert messages(caplog)[1].startswith("Unpublished windows: 1; they wait in ")
    assert len(list(spool.rglob("*.pt.trace.json"))) == 1


def test_step_times_are_the_training_s_alone_and_each_window_has_its_own(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    advance = ProfiledWindow.advance

    def advance_slowly(window: ProfiledWindow) -> None:
        advance(window)
        now[0] += 5000

    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])
    monkeypatch.setattr(ProfiledWindow, "advance", advance_slowly)
    schedule = tbprof.Schedule(skip_first=2, wait=1, warmup=1, active=1, repeat=2)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        # 0 1 left alone | 2 wait, 3 warm-up, 4 recorded | 5 wait, 6 warm-up, 7 recorded.
        for duration_ns in (10, 10, 10, 500, 12, 10, 500, 16):
            training_step()
            now[0] += duration_ns
            hook.step()
        hook.close(wait_s=60)
    facts = [trace["tbprof"] for trace in published(logdir)]
    assert [each["unprofiled_step_ns"] for each in facts] == [10, 10]
    assert [each["profiled_step_ns"] for each in facts] == [12, 16]


def test_work_between_steps_is_in_no_step_time(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])
    with tbprof.TrainerHook(logdir, schedule=tbprof.Schedule(skip_first=5, warmup=0, active=1)) as hook:
        for _ in range(6):
            training_step()
            now[0] += 10
            hook.step()
            with hook.phase("evaluation"):
                now[0] += 1000
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    assert (trace["tbprof"]["unprofiled_step_ns"], trace["tbprof"]["profiled_step_ns"]) == (10, 10)
    assert "evaluation" in {event["name"] for event in trace["traceEvents"]}


def test_the_step_after_a_window_tells_the_lines_and_is_in_no_time(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 6)
        assert not function_modes()
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    audit = trace["tbprof"]["audit"]
    (call,) = audit["calls"]
    assert (Path(call["file"]).name, call["function"], call["call"]) == ("conftest.py", "step", "item")
    assert (call["count"], audit["order"], audit["left_out"]) == (1, [0], "")
    (source,) = audit["sources"]
    assert source["text"].splitlines()[call["line"] - source["first_line"]] == "        return loss.item()"


def test_lines_and_source_are_recorded_only_where_wanted(logdir: Path, training_step: Step) -> None:
    schedule = tbprof.Schedule(skip_first=2, warmup=1, active=1)
    for options in ({"record_lines": False}, {"embed_source": False}):
        with tbprof.TrainerHook(logdir, schedule=schedule, **options) as hook:
            train(hook, training_step, 6)
            hook.close(wait_s=60)
    audits = [trace["tbprof"]["audit"] for trace in published(logdir)]
    assert audits[0] is None
    assert (len(audits[1]["calls"]), audits[1]["sources"]) == (1, [])


@pytest.mark.slow
@pytest.mark.parametrize("steps", [4, 5], ids=["in the window", "before the audit step"])
@pytest.mark.parametrize("warmup", [1, 0], ids=["warm-up", "none"])
def test_a_training_that_ends_before_its_audit_step_has_the_lines_of_the_warm_up_or_says_so(
    logdir: Path, training_step: Step, steps: int, warmup: int
) -> None:
    schedule = dataclasses.replace(SHORT, skip_first=SHORT.skip_first + 1 - warmup, warmup=warmup)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        train(hook, training_step, steps)
        # An evaluation behind the loop is no step.
        training_step()
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    audit = trace["tbprof"]["audit"]
    lines = [call["call"] for call in audit["calls"]]
    assert (audit["left_out"], lines) == (("", ["item"]) if warmup else ("no_step", []))
    assert not function_modes()


def test_the_verdict_is_told_while_the_training_goes_on(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "tbprof")
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        deadline = time.monotonic() + 60
        while not messages(caplog, logging.INFO) and time.monotonic() < deadline:
            train(hook, training_step, 10)
        assert messages(caplog, logging.INFO)[0].startswith("window 0: Recorded without a GPU")


def test_a_running_training_is_asked_for_a_window_by_a_file(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timetable, "LOOK_NS", 10_000_000)
    logdir.mkdir(parents=True)
    with tbprof.TrainerHook(logdir, schedule=tbprof.Schedule(skip_first=10**6, warmup=1)) as hook:
        train(hook, training_step, 15)
        (logdir / "tbprof.trigger").write_text("2")
        deadline = time.monotonic() + 60
        while not published(logdir) and time.monotonic() < deadline:
            train(hook, training_step, 100)
    (trace,) = published(logdir)
    assert trace["tbprof"]["recorded_steps"] == 2


def test_a_phase_is_in_no_lines_and_counts_no_steps(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 5)
        with hook.phase("evaluation"):
            torch.ones(()).item()
            train(hook, training_step, 3)
        train(hook, training_step, 1)
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    audit = trace["tbprof"]["audit"]
    assert [(call["function"], call["count"]) for call in audit["calls"]] == [("step", 1)]


def test_an_exception_of_a_phase_passes_and_the_steps_count_again(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        with pytest.raises(ZeroDivisionError), hook.phase("evaluation"):
            1 / 0  # noqa: B018
        train(hook, training_step, 6)
        hook.close(wait_s=60)
    assert len(published(logdir)) == 1


@pytest.mark.parametrize(("name", "label"), [([7], "[7]"), ("caf\udce9", "caf\\udce9")])
def test_a_phase_may_have_a_name_that_is_no_text(
    name: object, label: str, logdir: Path, training_step: Step
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        train(hook, training_step, 4)
        with hook.phase(name):
            train(hook, training_step, 1)
        train(hook, training_step, 4)
        hook.close(wait_s=60)
    (trace,) = published(logdir)
    assert trace["tbprof"]["phases_left_out"] == [label]


SPOKEN = """
    import sys
    import torch
    import tbprof

    with tbprof.TrainerHook("logs/run", schedule=tbprof.Schedule(skip_first=1, warmup=1, active=2)) as hook:
        model = torch.nn.Linear(8, 1)
        for _ in range(12):
            model(torch.ones(2, 8)).sum().item()
            hook.step()
        hook.close(wait_s=60)
    ours = [name for name in ("tbprof.report", "tbprof.views") if name in sys.modules]
    print(ours)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("rank", "lines"), [("", 2), ("0", 2), ("1", 0)])
def test_of_a_run_two_or_three_lines_a_window_are_shown(
    run_script: RunScript, tmp_path: Path, rank: str, lines: int
) -> None:
    ended = run_script(SPOKEN, RANK=rank, WORLD_SIZE="8")
    assert (ended.returncode, ended.stdout) == (0, "[]\n")
    (trace,) = (tmp_path / "logs" / "run").glob("*.trace.json.gz")
    # Kineto, too, says something of each window.
    said = [line for line in ended.stderr.splitlines() if not line.startswith("USDT")]
    # A window in which nothing is worth a change has no first one.
    assert len(said) in (lines, lines + 1 if lines else 0)
    if said:
        verdict, *first, more = said
        assert verdict.startswith("tbprof: window 0: Recorded without a GPU: ")
        assert all(line.startswith("  First: ") for line in first)
        assert more == (
            f"  To see it: tensorboard --logdir {tmp_path / 'logs' / 'run'}, or tbprof report {trace}"
        )
