"""The timeline of a window: its lanes, and what is found on them."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from scenes import SIDE, host_bound, read_scalar
from trace_builder import TraceBuilder

from tbprof.analysis.figures.timeline import Timeline
from tbprof.analysis.figures.timeline_lanes import KINDS
from tbprof.analysis.figures.timeline_tile import TilePlace
from tbprof.report import open_timeline
from tbprof.trace.columns.columns import Category

SAMPLES = sorted((pathlib.Path(__file__).parents[3] / "logs" / "samples").glob("*/*.json.gz"))


def test_lanes_are_in_the_order_of_the_question() -> None:
    built = host_bound()
    read_scalar(built, 3700, wait=20, thread=SIDE, stream=20)
    lanes = Timeline(built.facts()).lanes
    kinds = ["idle", "use", "stream", "stream", "queue", "episodes", "main", "thread"]
    assert [lane.kind for lane in lanes] == kinds
    assert lanes[6].lines == ("label", "op", "op", "call")


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("level", [None, 12])
def test_every_event_of_a_real_trace_is_in_some_tile(path: pathlib.Path, level: int | None) -> None:
    timeline = open_timeline(path)
    level = timeline.highest_level if level is None else level
    threads = {at for at, lane in enumerate(timeline.lanes) if lane.kind not in ("idle", "episodes")}
    drawn: set[int] = set()
    counted = 0
    for number in range((timeline.span_ns >> (level + 10)) + 1):
        tile = timeline.tile(TilePlace(level, number), threads)
        drawn |= set(tile.spans.row.tolist())
        counted += int(tile.shares.count.sum())
    left_out = (Category.GPU_ANNOTATION, Category.SYNC)
    there = ~np.isin(timeline.facts.trace.slices.category, left_out)
    assert len(drawn) + counted == int(there.sum())


def test_waits_are_told_from_other_calls() -> None:
    timeline = Timeline(host_bound().facts())
    tile = timeline.tile(TilePlace(0, 0), range(len(timeline.lanes)))
    names = timeline.facts.trace.names
    waits = {names[tile.spans.name[at]] for at in np.flatnonzero(tile.spans.kind == KINDS.index("wait"))}
    assert waits == set()
    whole = timeline.tile(TilePlace(timeline.highest_level, 0), range(len(timeline.lanes)))
    kinds = [*whole.spans.kind.tolist(), *whole.shares.kind.tolist()]
    assert {KINDS[kind] for kind in kinds} >= {"kernel", "step", "op", "call", "wait", "blocking", "launch"}


def test_a_search_goes_round_and_both_ways() -> None:
    timeline = Timeline(host_bound(steps=3).facts())
    first = timeline.find("ITEM", -1)
    assert first is not None
    assert (first.number, first.total) == (1, 3)
    starts = [1000 * 1000 * step + 108_000 for step in range(3)]
    again = [timeline.find("item", start) for start in starts]
    assert [found.number for found in again if found] == [2, 3, 1]
    back = [timeline.find("item", start, backwards=True) for start in starts]
    assert [found.number for found in back if found] == [3, 1, 2]
    assert timeline.find("nothing of the kind", -1) is None


def test_a_row_is_found_on_its_line() -> None:
    timeline = Timeline(host_bound().facts())
    found = timeline.find("_local_scalar_dense", -1)
    assert found is not None
    place = timeline.place_of(found.row)
    assert place is not None
    lane = timeline.lanes[place.lane]
    assert (lane.kind, lane.lines[place.line], KINDS[place.kind]) == ("main", "op", "op")
    assert timeline.place_of(10**9) is None


def test_a_trace_without_a_device_has_only_threads() -> None:
    built = TraceBuilder()
    built.step(1, 0, 100)
    built.op("aten::add", 10, 20)
    timeline = Timeline(built.facts())
    assert [lane.kind for lane in timeline.lanes] == ["episodes", "main"]
    assert timeline.queued_at(0) is None
