"""Tiles: nothing is lost at any level, and what is drawn short is drawn true."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tbprof.analysis.figures.timeline_lanes import SpanTable, nested_lines, tracks_of
from tbprof.analysis.figures.timeline_tile import (
    TILE_BUCKETS,
    Pyramid,
    Tile,
    TilePlace,
    cut_tile,
    highest_level,
)

SPANS = st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 3000)), max_size=30)
ORIGIN_NS = 7_000


def tracks(spans: list[tuple[int, int]]) -> list[Pyramid]:
    """These starts and lengths as rows 0, 1, ... of one lane, summed from level 5 on."""
    start = np.array([start for start, _ in spans], np.int64) + ORIGIN_NS
    end = start + np.array([length for _, length in spans], np.int64)
    row = np.arange(len(spans))
    table = SpanTable(start, end, nested_lines(start, end), row % 2, row, row + 100)
    return [Pyramid.of(track, 5, 13, ORIGIN_NS) for track in tracks_of(3, table)]


def tiles(spans: list[tuple[int, int]], level: int) -> Iterator[Tile]:
    """All tiles of a level, to the end of the last span."""
    for number in range((8000 >> level) // TILE_BUCKETS + 1):
        yield cut_tile(TilePlace(level, number), tracks(spans), {}, ORIGIN_NS)


@pytest.mark.slow
@given(SPANS, st.integers(0, 12))
def test_every_span_is_in_some_tile_as_itself_or_counted_once(
    spans: list[tuple[int, int]], level: int
) -> None:
    drawn: set[int] = set()
    counted = 0
    for tile in tiles(spans, level):
        drawn |= set(tile.spans.row.tolist())
        counted += int(tile.shares.count.sum())
    long = {row for row, (_, length) in enumerate(spans) if length >= 1 << level}
    assert drawn == long
    assert counted == len(spans) - len(long)


@given(SPANS, st.integers(0, 12))
def test_a_tile_covers_as_much_time_as_its_spans_do(spans: list[tuple[int, int]], level: int) -> None:
    for tile in tiles(spans, level):
        begin, end = tile.place.start_ns, tile.place.end_ns
        expected = sum(max(min(s + length, end) - max(s, begin), 0) for s, length in spans)
        own = tile.spans
        whole = (np.minimum(own.end_ns, end) - np.maximum(own.start_ns, begin)).sum()
        assert int(whole) + int(tile.shares.covered_ns.sum()) == expected


@given(SPANS, st.integers(0, 12))
def test_what_is_too_short_to_see_leaves_a_mark_where_it_is(spans: list[tuple[int, int]], level: int) -> None:
    marked = {
        (tile.place.number * TILE_BUCKETS + bucket)
        for tile in tiles(spans, level)
        for bucket in tile.shares.bucket.tolist()
    }
    assert {start >> level for start, length in spans if length < 1 << level} <= marked


def test_a_span_that_crosses_a_bucket_is_shared_between_both() -> None:
    [tile] = [cut_tile(TilePlace(3, 0), tracks([(5, 6)]), {}, ORIGIN_NS)]
    assert tile.shares.bucket.tolist() == [0, 1]
    assert tile.shares.covered_ns.tolist() == [3, 3]
    assert tile.shares.count.tolist() == [1, 0]


def test_the_highest_level_holds_the_window_in_one_tile() -> None:
    for span_ns in (1, 1024, 1025, 10**9):
        level = highest_level(span_ns)
        assert TilePlace(level, 0).end_ns >= span_ns
        assert level == 0 or TilePlace(level - 1, 0).end_ns < span_ns
