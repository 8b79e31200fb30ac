"""The gaps of a step, and the one after a sync point."""

from __future__ import annotations

import pytest
from scenes import gpu_bound, host_bound

from tbprof.analysis.facts import Facts
from tbprof.analysis.figures.timeline_gaps import causes_of_step, gap_after, gap_at, idle_pieces, largest_gaps
from tbprof.report import report_of


@pytest.fixture(scope="module")
def facts() -> Facts:
    return host_bound().facts()


def test_causes_of_a_step_are_those_of_the_report(facts: Facts) -> None:
    for index, step in enumerate(report_of(facts.trace).steps):
        assert {row.cause: row.idle_ns for row in causes_of_step(facts, index)} == dict(step.idle_by_cause)


def test_the_largest_gap_comes_first_with_its_place(facts: Facts) -> None:
    gaps = largest_gaps(facts, 1)
    lengths = [gap.end_ns - gap.start_ns for gap in gaps]
    assert lengths == sorted(lengths, reverse=True)
    # From the last kernel of the step before to the first of this one.
    assert [(gap.start_ns - facts.origin_ns) // 1000 for gap in gaps] == [700, 1700, 1422]


def test_a_gap_follows_the_read_that_drained_the_device(facts: Facts) -> None:
    gap = gap_after(facts, 1)
    assert gap is not None
    assert (gap.start_ns - facts.origin_ns, gap.end_ns - facts.origin_ns) == (1_422_000, 1_610_000)
    assert gap.site == 0
    assert gap_at(facts, gap.start_ns + 1) == gap
    assert gap_at(facts, facts.origin_ns + 1_100_000) is None


def test_no_gap_follows_where_the_device_kept_working() -> None:
    facts = gpu_bound().facts()
    assert gap_after(facts, 1) is None


def test_pieces_of_a_step_lie_in_it(facts: Facts) -> None:
    for pieces in idle_pieces(facts, 2).values():
        assert ((pieces.start_ns >= facts.steps.start_ns[2]) & (pieces.end_ns <= facts.steps.end_ns[2])).all()
