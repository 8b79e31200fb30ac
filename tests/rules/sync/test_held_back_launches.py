"""Launches of the training that the driver held back while another thread waited in it."""

from __future__ import annotations

import pytest
from scenes import SIDE
from trace_builder import MAIN, TraceBuilder

from tbprof.rules.sync.syn09_cross_thread_stall import HeldBackLaunches, find_held_back_launches


def training(
    *, length: float = 100, wait: float = 100, thread: int = SIDE, queued: int = 0
) -> HeldBackLaunches:
    """Launches of 5, one of another length at 1000, and a wait of another thread that begins there."""
    built = TraceBuilder()
    built.step(1, 0, 10_000)
    for number in range(9):
        start = 100 * number
        built.launch(start, start + 5, runs=(start + 10, start + 20))
    for number in range(queued):
        built.launch(900 + number / 100, 905 + number / 100, runs=(5000 + number, 5001 + number))
    built.launch(1000, 1000 + length, runs=(7000, 7010))
    built.copy("DtoH", "pageable", 1000, 1000 + wait, runs=(1010, 1000 + wait), thread=thread)
    return find_held_back_launches(built.facts())


def test_a_long_launch_during_another_threads_read_was_held_back() -> None:
    found = training()
    assert (len(found.launches.rows), found.episode.tolist()) == (1, [0])
    assert found.lost_ns == 95_000


@pytest.mark.parametrize(("length", "count"), [(50, 0), (51, 1)])
def test_it_takes_more_than_ten_times_the_usual(length: float, count: int) -> None:
    assert len(training(length=length).launches.rows) == count


@pytest.mark.parametrize(("wait", "count"), [(80, 1), (79, 0)])
def test_the_wait_covers_four_fifths_of_it(wait: float, count: int) -> None:
    assert len(training(wait=wait).launches.rows) == count


def test_a_wait_of_the_training_itself_holds_nothing_back() -> None:
    assert len(training(thread=MAIN).launches.rows) == 0


@pytest.mark.parametrize(("queued", "count"), [(511, 1), (512, 0)])
def test_a_launch_onto_a_full_queue_waits_for_the_device(queued: int, count: int) -> None:
    assert len(training(queued=queued).launches.rows) == count


def test_only_those_of_some_episodes() -> None:
    found = training()
    assert len(found.only(found.episode).launches.rows) == 1
    assert len(found.only(found.episode + 1).launches.rows) == 0
