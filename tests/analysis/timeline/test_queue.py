"""How much was queued."""

from __future__ import annotations

import numpy as np
from trace_builder import TraceBuilder

from tbprof.analysis.figures.timeline_tile import queue_depth


def test_work_is_queued_from_the_return_of_its_launch_to_its_start() -> None:
    built = TraceBuilder()
    built.launch(0, 10, runs=(40, 50))
    built.launch(10, 20, runs=(60, 70))
    facts = built.facts()
    queue = queue_depth(facts.work, 0)
    at = [facts.origin_ns + us * 1000 for us in (5, 10, 19, 20, 39, 40, 59, 60, 100)]
    assert [queue.at(instant) for instant in at] == [0, 1, 1, 2, 2, 1, 1, 0, 0]
    assert queue.peak == 2


def test_a_bucket_has_the_most_of_it_and_how_long_nothing_was_queued() -> None:
    built = TraceBuilder()
    built.launch(0, 10, runs=(40, 50))
    built.launch(10, 20, runs=(60, 70))
    facts = built.facts()
    edges = facts.origin_ns + np.array([0, 15, 30, 45, 50, 80, 100]) * 1000
    most, empty = queue_depth(facts.work, 0).in_buckets(edges)
    assert most.tolist() == [1, 2, 2, 1, 1, 0]
    assert empty.tolist() == [10_000, 0, 0, 0, 20_000, 20_000]


def test_work_that_starts_while_it_is_launched_was_never_queued() -> None:
    built = TraceBuilder()
    built.launch(0, 10, runs=(5, 50))
    assert queue_depth(built.facts().work, 0).peak == 0
