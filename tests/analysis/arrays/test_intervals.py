"""Interval arithmetic agrees with counting moments one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tbprof.analysis.intervals import (
    NEVER,
    Intervals,
    are_within,
    clip,
    complement,
    intersect,
    overlap_ns,
    total_ns,
    union,
    union_of,
)

LONGEST = 40
Spans = list[tuple[int, int]]

spans = st.lists(st.tuples(st.integers(0, LONGEST), st.integers(0, LONGEST)), max_size=12)


def arrays(pairs: Spans) -> tuple[np.ndarray, np.ndarray]:
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def of(pairs: Spans) -> Intervals:
    return union(*arrays(pairs))


def moments(pairs: Spans) -> set[int]:
    """Every ns that one of the spans holds; a span that ends before it starts holds none."""
    return {ns for start, end in pairs for ns in range(start, end)}


def held(intervals: Intervals) -> set[int]:
    return moments(list(zip(intervals.start_ns.tolist(), intervals.end_ns.tolist(), strict=True)))


@given(spans)
def test_a_union_holds_what_one_of_them_holds(pairs: Spans) -> None:
    assert held(of(pairs)) == moments(pairs)


@given(spans)
def test_the_parts_of_a_union_ascend_and_never_touch(pairs: Spans) -> None:
    found = of(pairs)
    assert (found.start_ns < found.end_ns).all()
    assert (found.end_ns[:-1] < found.start_ns[1:]).all()


@given(spans)
def test_the_total_is_the_number_of_moments(pairs: Spans) -> None:
    assert total_ns(of(pairs)) == len(moments(pairs))


@given(spans, spans)
def test_an_intersection_holds_what_both_hold(left: Spans, right: Spans) -> None:
    assert held(intersect(of(left), of(right))) == moments(left) & moments(right)


@given(spans, st.integers(0, LONGEST), st.integers(0, LONGEST))
def test_a_complement_holds_the_rest_of_its_range(pairs: Spans, start: int, end: int) -> None:
    assert held(complement(of(pairs), start, end)) == set(range(start, end)) - moments(pairs)


@given(spans, st.integers(0, LONGEST), st.integers(0, LONGEST))
def test_a_clip_holds_what_lies_in_its_range(pairs: Spans, start: int, end: int) -> None:
    assert held(clip(of(pairs), start, end)) == set(range(start, end)) & moments(pairs)


@given(spans, st.lists(st.tuples(st.integers(-5, 45), st.integers(0, 45)), min_size=1, max_size=8))
def test_an_overlap_counts_the_moments_of_each_query(pairs: Spans, ranges: Spans) -> None:
    queries = [(start, start + length) for start, length in ranges]
    found = overlap_ns(of(pairs), *arrays(queries))
    assert found.tolist() == [len(moments(pairs) & set(range(*query))) for query in queries]


def test_instants_of_today_lose_no_ns() -> None:
    epoch = 1_751_410_836_000_000_001
    found = of([(epoch, epoch + 3), (epoch + 3, epoch + 4)])
    assert (found.start_ns.tolist(), found.end_ns.tolist()) == ([epoch], [epoch + 4])


def test_the_union_of_several_holds_what_any_of_them_holds() -> None:
    early, late = (union(np.array([start]), np.array([end])) for start, end in ((0, 10), (5, 20)))
    both = union_of((early, NEVER, late))
    assert (both.start_ns.tolist(), both.end_ns.tolist()) == ([0], [20])
    assert len(union_of(())) == 0


@given(spans, st.lists(st.integers(-1, LONGEST + 1), max_size=12))
def test_an_instant_is_within_what_holds_it(pairs: Spans, instants: list[int]) -> None:
    found = are_within(np.array(instants, np.int64), of(pairs))

    assert found.tolist() == [instant in moments(pairs) for instant in instants]
