"""Brackets of checks about code that can be rewritten, held against programs run with it rewritten."""

from __future__ import annotations

import numpy as np
import pytest
from loop_pieces import REPETITIONS
from random_rewrites import CHECKED_BY
from rewrite_judgment import alarms_of_repetition, judge_batch, judge_joint, judge_rewrite

SAMPLE = range(70_000, 70_001)
EXHAUSTIVE = range(71_000, 71_300)
"""Neither was looked at while the brackets were being fixed: that was done on the seeds 60000 to 60099."""

LEAST_INSIDE = 0.95


def are_inside(fix: str, seeds: range) -> list[bool]:
    return [one.is_inside for seed in seeds if (one := judge_rewrite(fix, seed)) is not None]


def test_most_truths_lie_between_floor_and_ceiling() -> None:
    judged = [inside for fix in CHECKED_BY for inside in are_inside(fix, SAMPLE)]
    assert len(judged) >= len(CHECKED_BY) // 2
    assert np.mean(judged) >= LEAST_INSIDE


@pytest.mark.exhaustive
@pytest.mark.parametrize("fix", CHECKED_BY)
def test_of_each_fix_most_do(fix: str) -> None:
    judged = are_inside(fix, EXHAUSTIVE)
    assert judged
    assert np.mean(judged) >= LEAST_INSIDE


def share_under(fix: str, seeds: range) -> float:
    judged = [one for seed in seeds if (one := judge_joint(fix, seed)) is not None]
    return float(np.mean([one.is_under for one in judged])) if judged else 1.0


def test_once_the_waits_above_it_are_gone_a_fix_saves_no_more_than_is_said() -> None:
    """What it spares is launched in the shadow of a wait, and counts when that is gone."""
    for fix in ("all items at once", "no recomputing", "CUDA graph"):
        assert share_under(fix, SAMPLE) == 1.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("fix", CHECKED_BY)
def test_of_each_fix_the_same_holds_for_most(fix: str) -> None:
    assert share_under(fix, EXHAUSTIVE[:100]) >= LEAST_INSIDE


@pytest.mark.parametrize("kind", ["", *REPETITIONS])
def test_no_repetition_of_a_training_is_a_loop_over_items(kind: str) -> None:
    assert sum(alarms_of_repetition(kind, seed) for seed in SAMPLE) == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["", *REPETITIONS])
def test_in_many_programs_none_is(kind: str) -> None:
    assert sum(alarms_of_repetition(kind, seed) for seed in EXHAUSTIVE[:40]) == 0


@pytest.mark.exhaustive
def test_a_larger_batch_takes_what_is_said() -> None:
    judged = [one for seed in EXHAUSTIVE if (one := judge_batch(seed)) is not None]
    assert len(judged) >= 30
    assert np.mean([one.is_inside for one in judged]) >= LEAST_INSIDE
