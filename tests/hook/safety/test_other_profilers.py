"""A second profiler is seen in each of its phases, and a finished one in none."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
import torch
from torch.profiler import ProfilerAction, ProfilerActivity, profile

from tbprof.hook.safety.other_profilers import (
    OnlySession,
    claim_recording,
    is_own_recording,
    is_recording,
    other_profiler_at_work,
    without_announcement,
)


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


def test_objects_are_looked_through_only_where_a_profiler_was_announced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_search() -> list[object]:
        raise AssertionError("looked through every object")

    monkeypatch.setattr(gc, "get_objects", no_search)
    with without_announcement():
        own = profile(activities=[ProfilerActivity.CPU])
    assert not other_profiler_at_work(own)
    theirs = profile(activities=[ProfilerActivity.CPU])
    with pytest.raises(AssertionError, match="every object"):
        other_profiler_at_work(own)
    with theirs:
        pass
    assert not other_profiler_at_work(own)


def test_an_announcement_of_somebody_else_is_kept(foreign: profile) -> None:
    with without_announcement():
        own = profile(activities=[ProfilerActivity.CPU])
    foreign.step()
    assert other_profiler_at_work(own)


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
