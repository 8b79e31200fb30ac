"""Operations that wait for one another."""

from __future__ import annotations

import numpy as np
import pytest

from tbprof.errors import JobError
from tbprof.job.replay import dependency_graph, replay


def test_an_operation_begins_when_all_that_it_waits_for_has_ended() -> None:
    graph = dependency_graph([[], [], [0, 1]], [])
    replayed = replay(graph, np.array([3.0, 5.0, 1.0]).reshape(3, 1, 1))
    assert replayed.ready[:, 0, 0].tolist() == [0, 0, 5]
    assert replayed.step_time.tolist() == [6]


def test_what_transfers_together_begins_with_the_last() -> None:
    graph = dependency_graph([[], [], [0], [1]], [[2, 3]])
    replayed = replay(graph, np.array([3.0, 5.0, 1.0, 2.0]).reshape(4, 1, 1))
    assert replayed.ready[:, 0, 0].tolist() == [0, 0, 3, 5]
    assert replayed.end[2:, 0, 0].tolist() == [6, 7]


def test_replicas_wait_for_each_other_where_they_are_told_to() -> None:
    duration = np.array([[1.0, 4.0], [1.0, 1.0]])[:, :, None]
    alone = replay(dependency_graph([[], [0]], []), duration)
    across = replay(dependency_graph([[], [0]], [[1]], frozenset({1})), duration)
    assert alone.end[1, :, 0].tolist() == [2, 5]
    assert across.end[1, :, 0].tolist() == [5, 5]


def test_a_ring_is_an_error() -> None:
    with pytest.raises(JobError, match="ring"):
        dependency_graph([[1], [0]], [])
