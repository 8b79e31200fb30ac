"""In which order fixes pay, and what each adds."""

from __future__ import annotations

import numpy as np
from scenes import host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.savings import LINE_NS, MAX_WEIGHED, PlannedFix, fix_plan
from tbprof.trace.columns.arrays import Int64s

SYNC = "cudaStreamSynchronize"


def each_alone(facts: Facts) -> list[Int64s]:
    """One candidate an episode, in the order of time."""
    return [np.array([at]) for at in np.argsort(facts.episodes.start_ns)]


def test_the_fix_that_wins_most_comes_first() -> None:
    built = host_bound(steps=1)
    read_scalar(built, 720, wait=20, ops=("aten::is_nonzero",))
    facts = built.facts()
    short_and_long = each_alone(facts)[::-1]
    plan = fix_plan(facts, short_and_long)
    assert [row.candidate for row in plan] == [1, 0]
    assert plan[0].adds_ns == facts.replay.saving_ns(short_and_long[1]) > plan[1].adds_ns


def test_a_wait_that_was_hidden_is_worth_what_it_adds() -> None:
    built = TraceBuilder()
    built.step(1, 0, 1000)
    built.launch(0, 5, runs=(10, 495))
    built.synchronize(SYNC, 100, 500)
    built.synchronize(SYNC, 501, 503)
    built.launch(900, 905, runs=(910, 950))
    facts = built.facts()
    # The ceiling of the first is its wait, 400, and its line; with the second 402 and two lines.
    assert fix_plan(facts, each_alone(facts)) == (
        PlannedFix(candidate=0, adds_ns=3_000, total_ns=3_000, ceiling_ns=400_000 + LINE_NS),
        PlannedFix(candidate=1, adds_ns=392_000, total_ns=395_000, ceiling_ns=402_000 + 2 * LINE_NS),
    )


def test_of_equals_the_one_named_first_comes_first() -> None:
    facts = host_bound(steps=3).facts()
    plan = fix_plan(facts, each_alone(facts))
    assert [row.candidate for row in plan] == [0, 1, 2]
    assert [row.total_ns for row in plan] == [312_000, 624_000, 936_000]


def test_fixes_beyond_those_that_are_weighed_follow_in_their_order() -> None:
    facts = host_bound(steps=MAX_WEIGHED + 2).facts()
    plan = fix_plan(facts, each_alone(facts))
    assert [row.candidate for row in plan] == list(range(MAX_WEIGHED + 2))
    assert plan[-1].total_ns == facts.replay.saving_ns(np.arange(MAX_WEIGHED + 2))


def test_without_a_fix_there_is_no_plan() -> None:
    assert fix_plan(host_bound().facts(), []) == ()


def test_no_total_exceeds_its_ceiling() -> None:
    facts = host_bound(steps=4).facts()
    assert all(row.total_ns <= row.ceiling_ns for row in fix_plan(facts, each_alone(facts)))
