"""A second profiler is seen in each of its phases, and a finished one in none."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
import torch
from torch.profiler import ProfilerAction, ProfilerActivity, profile

from tbprof.hook.safety.other_profilers import (
    OnlySession,
    claim_recording,
    is_own_recording,
    is_recording,
    other_profiler_at_work,
    watch_profilers,
)

if TYPE_CHECKING:
    from conftest import RunScript


@pytest.fixture
def foreign() -> Iterator[profile]:
    """A profiler of somebody else: one step of warm-up, then it records."""
    profiler = profile(
        activities=[ProfilerActivity.CPU],
        schedule=torch.profiler.schedule(wait=1, warmup=1, active=9, repeat=1),
    )
    with profiler:
        yield profiler


def test_nobody_is_at_work_to_begin_with() -> None:
    assert not other_profiler_at_work(None)
    assert not is_recording()


def test_waiting_is_no_work(foreign: profile) -> None:
    assert not other_profiler_at_work(None)
    del foreign


def test_warming_up_is(foreign: profile) -> None:
    foreign.step()
    assert not is_recording()
    assert other_profiler_at_work(None)


def test_recording_is_and_ends_with_it() -> None:
    with profile(activities=[ProfilerActivity.CPU]):
        assert is_recording()
        assert other_profiler_at_work(None)
    assert not other_profiler_at_work(None)


def test_a_recording_is_the_hook_s_until_somebody_else_begins_one() -> None:
    with profile(activities=[ProfilerActivity.CPU]) as own:
        assert not is_own_recording()
        claim_recording()
        assert is_own_recording()
        assert other_profiler_at_work(own)
        with profile(activities=[ProfilerActivity.CPU]):
            assert is_recording()
            assert not is_own_recording()
        assert not is_own_recording()
        own.profiler = None
        own.current_action = ProfilerAction.NONE


def test_a_profiler_is_not_foreign_to_itself(foreign: profile) -> None:
    foreign.step()
    assert not other_profiler_at_work(foreign)


def test_one_that_the_collector_does_not_know_is_seen(foreign: profile) -> None:
    watch_profilers()
    foreign.step()
    gc.freeze()
    try:
        assert other_profiler_at_work(None)
    finally:
        gc.unfreeze()


def test_sessions_below_torch_s_profiler_are_seen_while_they_are_prepared() -> None:
    watch_profilers()
    session = torch.autograd.profiler.profile()
    trace = torch.profiler._KinetoProfile(activities=[ProfilerActivity.CPU])
    for prepare, start, stop in (
        (session._prepare_trace, session._start_trace, lambda: session.__exit__(None, None, None)),
        (trace.prepare_trace, trace.start_trace, trace.stop_trace),
    ):
        prepare()
        assert other_profiler_at_work(None)
        start()
        stop()
        assert not other_profiler_at_work(None)


PREPARED_BEFORE = """
import torch
with torch.profiler.profile(schedule=torch.profiler.schedule(wait=0, warmup=5, active=1)) as theirs:
    from tbprof.hook.safety.other_profilers import other_profiler_at_work
    print(other_profiler_at_work(None))
print(other_profiler_at_work(None))
"""


def test_one_that_warmed_up_before_there_was_a_hook_is_seen(run_script: RunScript) -> None:
    assert run_script(PREPARED_BEFORE).stdout.split() == ["True", "False"]


def test_one_that_records_on_another_thread_is_seen_here() -> None:
    recording, done = threading.Event(), threading.Event()

    def record() -> None:
        with torch.autograd.profiler.profile(use_kineto=True):
            recording.set()
            done.wait(30)

    thread = threading.Thread(target=record)
    thread.start()
    recording.wait(30)
    try:
        assert not is_recording()
        assert other_profiler_at_work(None)
    finally:
        done.set()
        thread.join()


def test_of_two_hooks_one_has_a_window() -> None:
    one, other = OnlySession(), OnlySession()
    assert one.take()
    assert not other.take()
    # Who does not hold it can't give it back.
    other.give_back()
    assert not other.take()
    one.give_back()
    assert other.take()
    other.give_back()


def test_a_hook_that_gives_way_to_a_profiler_stands_in_no_other_s_way() -> None:
    one, other = OnlySession(), OnlySession()
    with profile(activities=[ProfilerActivity.CPU]):
        assert not one.take()
    assert other.take()
    other.give_back()
