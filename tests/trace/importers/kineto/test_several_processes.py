"""Files into which several processes were put, or wrote at once: refused, with what to do."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from odd_recordings import training
from trace_builder import TraceBuilder

from tbprof.errors import NotATrace

Event = dict[str, Any]


def without_steps(built: TraceBuilder) -> TraceBuilder:
    built.events = [event for event in built.events if not str(event["name"]).startswith("ProfilerStep")]
    return built


def merged(pid: Callable[[int, Event], object], *, steps: bool, later_us: float = 0) -> TraceBuilder:
    """One file of two ranks, each on a GPU of its own; `pid` of each event by its rank."""
    whole = TraceBuilder()
    for rank in range(2):
        built = training(steps=2, device=rank, start_us=later_us * rank)
        for event in (built if steps else without_steps(built)).events:
            whole.events.append({**copy.deepcopy(event), "pid": pid(rank, event)})
    return whole


def said_of(built: TraceBuilder) -> str:
    with pytest.raises(NotATrace) as refused:
        built.trace()
    return str(refused.value).split(".pt.trace.json ", 1)[1]


@pytest.mark.parametrize("steps", [True, False], ids=["steps", "no steps"])
@pytest.mark.parametrize(
    "pid",
    [
        lambda rank, event: event["pid"] + 1000 * rank,
        lambda rank, event: f"[TP0{rank}] {event['pid']}",
    ],
    ids=["numbers", "texts"],
)
def test_ranks_in_one_file_are_to_be_read_one_by_one(
    pid: Callable[[int, Event], object], steps: bool
) -> None:
    what = "steps" if steps else "launches"
    assert said_of(merged(pid, steps=steps)) == (
        f"holds the {what} of 2 processes, as of ranks that were put into one file: "
        "read the file of each by itself."
    )


@pytest.mark.parametrize("later_us", [0, 13.5], ids=["at once", "later"])
def test_ranks_that_wrote_into_one_file_need_one_each(later_us: float) -> None:
    """Both are process 100 of their container, and count their launches alike."""
    built = merged(lambda _, event: event["pid"], steps=False, later_us=later_us)
    assert said_of(built) == (
        "holds 40 numbers of launches twice, as where two processes wrote into it at once: nothing of it can "
        "be trusted. Record again, with a file of its own for each rank, as "
        "`tensorboard_trace_handler(folder, worker_name=...)` makes them."
    )


def test_ranks_that_have_one_gpu_by_the_same_number_count_their_launches_alike_too() -> None:
    built = merged(lambda _, event: event["pid"], steps=False, later_us=13.5)
    for event in built.events:
        if event.get("cat") == "kernel":
            event["pid"] = event["args"]["device"] = 0
    assert said_of(built).startswith("holds 40 numbers of launches twice")


def test_several_threads_and_gpus_of_one_process_are_one() -> None:
    built = training(steps=2)
    for index in range(8):
        at = 100.0 * index
        built.launch(at + 50, at + 56, runs=(at + 60, at + 80), device=1, thread=200)
    assert len(built.trace().slices) > 0


def test_rows_that_are_in_the_file_twice_are_no_second_process() -> None:
    built = training(steps=2)
    built.events += copy.deepcopy(built.events)
    assert len(built.trace().slices) > 0
