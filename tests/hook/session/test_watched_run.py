"""Steps that are counted by the trainer, steps that are no training, and windows after slow ones."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trainings import Step, facts_in, published, train

import tbprof
from tbprof.hook import step_clock, step_count
from tbprof.hook.publishing import Publisher
from tbprof.hook.safety.modes import function_modes

if TYPE_CHECKING:
    from conftest import RunScript

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


class Count(torch.Tensor):
    """A tensor that tells who reads it."""

    reads: list[str] = []  # noqa: RUF012 - of all of them

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):  # type: ignore[no-untyped-def]
        cls.reads.append(function.__name__)
        return super().__torch_function__(function, types, arguments, named or {})


@pytest.mark.slow
@pytest.mark.parametrize(
    "count",
    [torch.tensor(1).as_subclass(Count), torch.tensor([1, 2]), "many", 3.0, None.__class__],
    ids=["a tensor", "two numbers", "a text", "a float", "a class"],
)
def test_a_count_that_is_not_read_is_said_once_and_counts_as_a_step(
    logdir: Path, training_step: Step, caplog: pytest.LogCaptureFixture, count: object
) -> None:
    Count.reads.clear()
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        for _ in range(8):
            training_step()
            hook.step(count)  # type: ignore[arg-type]
        hook.close(wait_s=60)
    (said,) = [record.getMessage() for record in caplog.records if "step() was given" in record.getMessage()]
    assert f"step() was given a {type(count).__name__}, which is not read" in said
    assert [facts["recorded_steps"] for facts in facts_in(logdir)] == [2]
    assert not {"__eq__", "__bool__", "__int__", "__index__", "eq", "item"} & set(Count.reads)


class OddNumber:
    """Fails where it is looked at."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError(other)

    def __hash__(self) -> int:
        return 0

    def __index__(self) -> int:
        raise RuntimeError("not today")


def test_a_count_that_raises_ends_the_profiling_only(
    logdir: Path, training_step: Step, expected_faults: list[Exception]
) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        for _ in range(5):
            training_step()
            hook.step(OddNumber())  # type: ignore[arg-type]
    assert [type(fault) for fault in expected_faults][:1] == [RuntimeError]


class Whole:
    """A number of some library, that is no int."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


def test_whole_numbers_of_other_kinds_count(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        for steps_taken in range(5001, 5010):
            training_step()
            hook.step(Whole(steps_taken))  # type: ignore[arg-type]
        hook.close(wait_s=60)
    assert [facts["first_step"] for facts in facts_in(logdir)] == [5003]


@pytest.mark.parametrize(
    ("active", "window", "recorded_in_all"),
    [(5, (38, 2), 2 + 1), (6, (44, 6), 2 + 1 + 6)],
    ids=["kept as it is", "begun again"],
)
def test_a_count_that_begins_anew_in_each_epoch_interrupts_one_window_at_most(
    logdir: Path,
    training_step: Step,
    caplog: pytest.LogCaptureFixture,
    active: int,
    window: tuple[int, int],
    recorded_in_all: int,
) -> None:
    recorded = 0
    schedule = tbprof.Schedule(skip_first=36, warmup=2, active=active)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for _ in range(3):
            for step in range(1, 41):
                training_step()
                recorded += torch.autograd._profiler_enabled()
                hook.step(step)
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    # Two whole steps, and the one in which the count went back, fit before the end of the first epoch.
    assert (facts["first_step"], facts["recorded_steps"]) == window
    assert recorded == recorded_in_all
    said = [record.getMessage() for record in caplog.records if "went from" in record.getMessage()]
    assert said == [
        "The count given to step() went from 40 to 1: a window that was being recorded ends here,"
        " and steps are counted on from 40."
    ]


def test_a_window_that_has_most_of_its_steps_is_kept_where_the_training_goes_back(
    logdir: Path, training_step: Step
) -> None:
    schedule = tbprof.Schedule(skip_first=2, warmup=1, active=4)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for steps_taken in (1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12):
            training_step()
            hook.step(steps_taken)
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert (facts["first_step"], facts["recorded_steps"]) == (3, 3)
    assert facts["audit"]["left_out"] == ""
    assert not function_modes()


def test_a_training_that_goes_back_in_the_warm_up_ends_its_audit_step(
    logdir: Path, training_step: Step
) -> None:
    watching = []
    schedule = tbprof.Schedule(skip_first=4, warmup=3, active=2)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for steps_taken in (1, 2, 3, 4, 2, 3, 4):
            training_step()
            hook.step(steps_taken)
            watching.append(len(function_modes()))
    # The window began after the fourth step; the next one begins a step after the training went back.
    assert watching == [0, 0, 0, 1, 0, 1, 0]


def test_steps_of_an_interrupted_window_are_in_no_unprofiled_time(
    logdir: Path, training_step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0]
    monkeypatch.setattr(step_clock, "perf_counter_ns", lambda: now[0])
    schedule = tbprof.Schedule(skip_first=4, warmup=1, active=4)
    with tbprof.TrainerHook(logdir, schedule=schedule) as hook:
        for steps_taken in (1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6, 7):
            training_step()
            now[0] += 900 if torch.autograd._profiler_enabled() else 10
            hook.step(steps_taken)
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert (facts["unprofiled_step_ns"], facts["unprofiled_quartiles_ns"]) == (10, [10, 10])


def test_a_count_that_stands_still_ends_its_window(
    logdir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(step_count, "MOST_CALLS_OF_A_STEP", 20)
    recorded = 0
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook:
        for epoch in range(1, 8):
            for _ in range(50):
                recorded += torch.autograd._profiler_enabled()
                hook.step(epoch)
    assert recorded <= 20
    assert [record.getMessage() for record in caplog.records] == [
        "The count given to step() has been 2 for 20 calls: the window that was being recorded ends"
        " here; give the number of training steps, or nothing.",
        "No window was recorded: the count given to step() went back, or stood still, in each (see above).",
    ]


Counts = st.lists(
    st.one_of(
        st.none(),
        st.integers(-3, 12),
        st.integers(-(2**70), 2**70),
        st.sampled_from([True, "many", 2.5, torch.tensor(3), torch.tensor([1, 2])]),
    ),
    max_size=60,
)


@pytest.mark.usefixtures("unpublished")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(counts=Counts, warmup=st.integers(0, 2), active=st.integers(1, 3), skip_first=st.integers(0, 4))
def test_no_window_records_more_steps_than_its_schedule_has(
    tmp_path: Path, counts: list[Any], warmup: int, active: int, skip_first: int
) -> None:
    schedule = tbprof.Schedule(skip_first=skip_first, warmup=warmup, active=active, repeat=0)
    recorded, last = 0, 0
    with tbprof.TrainerHook(tmp_path / "logs", schedule=schedule) as hook:
        for count in counts:
            is_recorded = torch.autograd._profiler_enabled()
            hook.step(count)
            # The same count again means that the step goes on.
            is_step = not isinstance(count, int) or count != last
            last = count if isinstance(count, int) else last
            recorded = recorded + is_step if is_recorded else 0
            assert recorded <= active
        hook.close(wait_s=0)
    assert not torch.autograd._profiler_enabled()
    assert not function_modes()


@pytest.fixture
def unpublished(monkeypatch: pytest.MonkeyPatch) -> None:
    """To publish hundreds of windows takes minutes."""
    monkeypatch.setattr(Publisher, "publish", lambda *_: None)


def test_a_program_that_only_infers_has_steps_and_says_so(logdir: Path, training_step: Step) -> None:
    with tbprof.TrainerHook(logdir, schedule=SHORT) as hook, hook.phase("inference"):
        train(hook, training_step, 8)
        hook.close(wait_s=60)
    (facts,) = facts_in(logdir)
    assert (facts["phase"], facts["first_step"], facts["recorded_steps"]) == ("inference", 3, 2)


def test_an_evaluation_in_a_window_is_named_as_no_part_of_its_step(logdir: Path, training_step: Step) -> None:
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
    assert not function_modes()


HOOKED = """
    import sys
    import torch
    import tbprof

    def train(hook):
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(int(sys.argv[1])):
            model(torch.ones(2, 8)).sum().backward()
            optimizer.step()
            hook.step()

    short = tbprof.Schedule(skip_first=0, warmup=1, active=2)
    if "outside" in sys.argv:
        hook = tbprof.TrainerHook("logs/run", schedule=short)
        with tbprof.Preflight(steps=3):
            train(hook)
        hook.close()
    elif "inside" in sys.argv:
        with tbprof.Preflight(steps=3), tbprof.TrainerHook("logs/run", schedule=short) as hook:
            train(hook)
    else:
        with tbprof.TrainerHook("logs/run", schedule=short) as hook:
            train(hook)
"""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["inside", "outside"])
def test_under_preflight_it_is_silent_and_leaves_the_word_of_a_true_run(
    run_script: RunScript, spool: Path, where: str
) -> None:
    run_script(HOOKED, 1)
    (word,) = spool.rglob("last-run-*.json")
    before = word.read_bytes()
    assert b"steps taken: 1" in before
    ended = run_script(HOOKED, 9, where)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert word.read_bytes() == before
    assert [path for path in spool.rglob("*") if path.is_file()] == [word]
